import type { Harm } from './verdict.ts';

/** A member's request to submit a server, by a command or a button. */
export interface Ask {
  /** Never shared by two guilds. */
  readonly server: string;
  readonly guildId: string;
  readonly who: string;
  /** The final reply that the member read; absent while the bot is "thinking…". */
  words?: string;
}

/** Everything known at the end about the requested servers. */
export interface Findings {
  readonly asks: readonly Ask[];
  /** The servers of every `add` request that the service has read completely, with repetitions. */
  readonly received: readonly string[];
  /**
   * The servers of received requests that the service rejected as a whole, accepting none. These are requests with several
   * servers, which the bot may send again in parts to find the rejected one, and requests rejected because of their key.
   */
  readonly turnedDown: readonly string[];
  /** The servers that the service holds, with repetitions. */
  readonly held: readonly string[];
  /** Whether the guild's history has the server as accepted or unknown. */
  isInHistory(guildId: string, server: string): boolean;
}

/** A reply's claim about a server. */
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

/** Shown after a crash, above the message's text before the press, or above the draft's previous outcome. */
export const INTERRUPTED = /^(\(only you can see this\) )?The bot was interrupted before it could finish/;

/** Patterns for each claim; the first match counts. */
const WORDS: readonly (readonly [RegExp, Claim])[] = [
  // A server that waits for a moderator, or was approved, may be sent after its member has read the reply.
  [/Waiting for a moderator|[✅⏳] Approved/u, 'waiting'],
  [/The application did not respond|the panel could not be posted/, 'nothing sent'],
  [INTERRUPTED, 'nothing sent'],
  // The row of a server in a list's report.
  [/^list: accepted$/, 'accepted'],
  [/^list: rejected$/, 'rejected'],
  [/^list: unknown$/, 'unknown'],
  [/^list: not-sent$/, 'nothing sent'],
  // Shown above the message's text before the press.
  [
    /^(\(only you can see this\) )?These buttons have expired\. They work for up to 15 minutes\./,
    'nothing sent',
  ],
  // A warning about a previous submission repeats its outcome.
  [/Not sent[.:]/, 'nothing sent'],
  [/Servers have been added for review\.|✅ Sent for review\./, 'accepted'],
  // One request can appear in several replies: each shows it until a later attempt ends.
  [/❌ Rejected\.[^\n]*\n[^\n]*Invalid API key/, 'not taken'],
  [/❌ Rejected\./, 'rejected'],
  [/may have arrived/, 'unknown'],
  [
    /nothing was (?:(?:saved|changed) or )?sent|did nothing|makes only one attempt|was not sent|is restarting|run the command again|on its way|previous request/i,
    'nothing sent',
  ],
  // The reply to an old button.
  [/This (was already submitted|was cancelled)\.|These buttons have expired\./, 'nothing sent'],
  [/❌ Declined/, 'nothing sent'],
  [/still no working API key/, 'nothing sent'],
  // Shown in place of a panel's modal.
  [/This Discord server(?: has no API key|'s API key can no longer be read)/, 'nothing sent'],
];

export function claimOf(words: string): Claim {
  return WORDS.find(([pattern]) => pattern.test(latestOf(words)))?.[1] ?? 'unclear';
}

/**
 * Returns the latest part of a message. A message that is shown again puts the reason first, then a blank-looking line, then
 * its previous text.
 */
export const latestOf = (words: string): string => words.split('\n\u200b\n')[0] ?? words;

/** Compares the replies to members with the servers that the service received and holds, and reports each case of harm. */
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
    const replies = all.map(({ who, words }) =>
      `  ${who} read: ${words ?? 'thinking…'}`.replaceAll('\n', ' / '),
    );
    const about = [
      `${server}: received ${got} and ${wasTurnedDown} turned down, held ${has}, asked ${all.length}`,
      ...replies,
    ].join('\n');

    if (all.some(({ words }) => words === undefined)) harm('left thinking', about);
    if (all.some(({ words }) => words !== undefined && claimOf(words) === 'unclear')) harm('lost', about);
    if (has > 0 && !all.some(({ guildId }) => isInHistory(guildId, server))) harm('lost', about);
    if (got > all.length) harm('sent twice', about);
    const accepted = count('accepted');
    // A missing or unclear reply makes no claim, and is counted above.
    const open = count('unknown') + count('waiting') + count('unclear');
    const isWrong =
      accepted > got ||
      (count('not taken') > 0 && wasTurnedDown === 0) ||
      accepted + count('rejected') > got + wasTurnedDown ||
      got > accepted + count('rejected') + open ||
      accepted > has ||
      has > accepted + open;
    if (isWrong) harm('false reply', about);
  }
}

function countEach(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
