import type { Harm } from './verdict.ts';

/** One time that a member asked for a server to be submitted: a command, or a button that submits. */
export interface Ask {
  /** Never shared by two guilds. */
  readonly server: string;
  readonly guildId: string;
  readonly who: string;
  /** What the member read in the end; absent while the bot is "thinking…". */
  words?: string;
}

/** What is known in the end of all that was asked. */
export interface Findings {
  readonly asks: readonly Ask[];
  /** The servers of every `add` that the service has read whole, one each. */
  readonly received: readonly string[];
  /**
   * Of those, the ones that the service refused as a whole, and took none of: in requests of several, which the bot may send
   * again in smaller ones to find the one that was meant, and in those that were refused for their key.
   */
  readonly turnedDown: readonly string[];
  /** The servers that the service holds, one each time. */
  readonly held: readonly string[];
  /** Whether the guild's history has the server as accepted, or as unknown. */
  isInHistory(guildId: string, server: string): boolean;
}

/** What an answer says of a server. */
export const CLAIMS = [
  'accepted',
  'rejected',
  'unknown',
  'not taken',
  'nothing sent',
  'waiting',
  'unclear',
] as const;
export type Claim = (typeof CLAIMS)[number];

/** After a crash above what stood there before the press, or what became of the document before. */
export const INTERRUPTED =
  /^(\(only you can see this\) )?The bot was interrupted before it could finish this/;

/** The first that fits. */
const WORDS: readonly (readonly [RegExp, Claim])[] = [
  // What a moderator decides about, or has approved, may be sent after its member has read of it.
  [/Waiting for a moderator|[✅⏳] Approved/u, 'waiting'],
  [/The application did not respond|the panel could not be posted/, 'nothing sent'],
  [INTERRUPTED, 'nothing sent'],
  // Of a server of a list, by its report.
  [/^list: accepted$/, 'accepted'],
  [/^list: rejected$/, 'rejected'],
  [/^list: unknown$/, 'unknown'],
  [/^list: not-sent$/, 'nothing sent'],
  // Above what stood there before the press.
  [
    /^(\(only you can see this\) )?These buttons no longer work\. They work for 15 minutes at most\./,
    'nothing sent',
  ],
  // A warning about a previous submission repeats how that one ended.
  [/Not sent[.:]/, 'nothing sent'],
  [/Servers have been added for review\.|✅ Sent for review\./, 'accepted'],
  // One request can be read of more than once: it stands there until another attempt has ended.
  [/❌ Rejected\.[^\n]*\n[^\n]*Invalid API key/, 'not taken'],
  [/❌ Rejected\./, 'rejected'],
  [/may have arrived/, 'unknown'],
  [
    /nothing (was|is) (sent|done)|was not sent|is restarting|run the command again|on its way|previous request/i,
    'nothing sent',
  ],
  // An old button.
  [/This (was already submitted|was cancelled)\.|These buttons no longer work\./, 'nothing sent'],
  [/❌ Refused/, 'nothing sent'],
  [/still no API key that works/, 'nothing sent'],
  // In place of the window of a panel.
  [/This Discord server(?: has no API key|'s API key can't be read)/, 'nothing sent'],
];

export function claimOf(words: string): Claim {
  return WORDS.find(([pattern]) => pattern.test(latestOf(words)))?.[1] ?? 'unclear';
}

/** What was said last: a message that is shown again has a reason above, and what it said before below a line that shows nothing. */
export const latestOf = (words: string): string => words.split('\n\u200b\n')[0] ?? words;

/** Compares what members were told with what the service got and holds, and tells of each case of harm. */
export function judge(
  { asks, received, turnedDown, held, isInHistory }: Findings,
  harm: (kind: Harm, about: string) => void,
): void {
  const gotten = countEach(received);
  const holds = countEach(held);
  const refused = countEach(turnedDown);

  const asked = Map.groupBy(asks, (ask) => ask.server);
  for (const server of new Set([...asked.keys(), ...gotten.keys()])) {
    const all = asked.get(server) ?? [];
    const wasTurnedDown = refused.get(server) ?? 0;
    const got = (gotten.get(server) ?? 0) - wasTurnedDown;
    const has = holds.get(server) ?? 0;
    const claims = all.map(({ words }) => (words === undefined ? 'unclear' : claimOf(words)));
    const count = (claim: Claim) => claims.filter((each) => each === claim).length;
    const told = all.map(({ who, words }) =>
      `  ${who} read: ${words ?? 'thinking…'}`.replaceAll('\n', ' / '),
    );
    const about = [
      `${server}: received ${got} and ${wasTurnedDown} turned down, held ${has}, asked ${all.length}`,
      ...told,
    ].join('\n');

    if (all.some(({ words }) => words === undefined)) harm('left thinking', about);
    if (all.some(({ words }) => words !== undefined && claimOf(words) === 'unclear')) harm('lost', about);
    if (has > 0 && !all.some(({ guildId }) => isInHistory(guildId, server))) harm('lost', about);
    if (got > all.length) harm('sent twice', about);
    const accepted = count('accepted');
    // Nothing was claimed by an answer that is missing or unclear, which is counted above.
    const open = count('unknown') + count('waiting') + count('unclear');
    const isWrong =
      accepted > got ||
      (count('not taken') > 0 && wasTurnedDown === 0) ||
      accepted + count('rejected') > got + wasTurnedDown ||
      got > accepted + count('rejected') + open ||
      accepted > has ||
      has > accepted + open;
    if (isWrong) harm('told wrongly', about);
  }
}

function countEach(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
