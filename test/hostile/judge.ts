import type { Harm } from './verdict.ts';

/** A member's request to submit a server, made with a command or a button. */
export interface Ask {
  /** No two guilds use the same server. */
  readonly server: string;
  readonly guildId: string;
  readonly who: string;
  /** The final reply that the member read. Absent while Discord shows "thinking…". */
  words?: string;
}

/** Everything known at the end of a run about the servers that members submitted. */
export interface Findings {
  readonly asks: readonly Ask[];
  /** The servers in all `add` requests that the service read completely. A server can appear more than once. */
  readonly received: readonly string[];
  /**
   * The servers in requests that the service rejected completely, because of the key or one of several servers. The bot may
   * then send smaller requests to find the invalid server.
   */
  readonly turnedDown: readonly string[];
  /** The servers that the service has stored. A server can appear more than once. */
  readonly held: readonly string[];
  /** Whether the guild's history lists the server as accepted or unknown. */
  isInHistory(guildId: string, server: string): boolean;
}

/** What a reply can claim about a server. */
export const CLAIMS = [
  'accepted',
  'rejected',
  'unknown',
  'not taken',
  'nothing sent',
  'waiting',
  'unclear',
] as const;
type Claim = (typeof CLAIMS)[number];

/** Shown after a crash, above the previous message or the draft's previous outcome. */
export const INTERRUPTED = /^(\(only you can see this\) )?The bot was interrupted before it could finish/;

/** Patterns for each claim. The first match wins. */
const WORDS: readonly (readonly [RegExp, Claim])[] = [
  // The bot might send a waiting or approved server after the member reads the reply.
  [/Waiting for a moderator|[✅⏳] Approved/u, 'waiting'],
  [/The application did not respond|the panel could not be posted/, 'nothing sent'],
  [INTERRUPTED, 'nothing sent'],
  // Strings that members.ts creates.
  [/^shown again$/, 'nothing sent'],
  [/^list: accepted$/, 'accepted'],
  [/^list: rejected$/, 'rejected'],
  [/^list: unknown$/, 'unknown'],
  [/^list: not-sent$/, 'nothing sent'],
  // Shown above the previous message.
  [/^(\(only you can see this\) )?These buttons no longer work:/, 'nothing sent'],
  // Comes before other outcomes, because a warning can repeat the outcome of a previous submission.
  [/Not sent[.:]/, 'nothing sent'],
  [/Servers have been added for review\.|✅ Sent for review\./, 'accepted'],
  // Several replies can show the same request, so `judge` doesn't count these claims.
  [/❌ Rejected\.[^\n]*\n[^\n]*Invalid API key/, 'not taken'],
  [/❌ Rejected\./, 'rejected'],
  [/may have arrived/, 'unknown'],
  [
    /nothing was (?:(?:saved|changed) or )?sent|nothing can be sent|did nothing|is restarting|run the command again|on its way|previous request/i,
    'nothing sent',
  ],
  // Shown before anything is submitted.
  [/⚠️ (?:Needs fixing|Not used): /u, 'nothing sent'],
  // The bot's reply to an old button.
  [
    /This (was already submitted|was cancelled)\.|These buttons no longer work:|only works for 15 minutes|yet won't be sent/,
    'nothing sent',
  ],
  [/❌ Declined/, 'nothing sent'],
  [/(?:Tried again|Still not possible) at /, 'nothing sent'],
  // Shown instead of a panel's modal.
  [/This Discord server(?: has no API key|'s API key can no longer be read)/, 'nothing sent'],
];

export function claimOf(words: string): Claim {
  return WORDS.find(([pattern]) => pattern.test(latestOf(words)))?.[1] ?? 'unclear';
}

/**
 * Returns the newest part of a message. If the bot shows a message again, the reason comes first, followed by a line that
 * looks blank and the earlier message.
 */
export const latestOf = (words: string): string => words.split('\n\u200b\n')[0] ?? words;

/** Compares the replies to members with the servers that the service received and stored, and reports each case of harm. */
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
    // A missing or unclear reply can mean any outcome. It has already been reported above.
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
