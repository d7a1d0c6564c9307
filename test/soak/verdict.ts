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
   * Of those, the ones in requests of several that the service refused as a whole. It took none of them, so the bot may
   * send them again in smaller requests to find the one that was meant.
   */
  readonly turnedDown: readonly string[];
  /** The servers that the service holds, one each time. */
  readonly held: readonly string[];
  /** Whether the guild's history has the server as accepted, or as unknown. */
  isInHistory(guildId: string, server: string): boolean;
}

/** Each kind of harm: one line for each case of it. */
export interface Verdict {
  /**
   * A submission of which nobody will ever hear: the member's answer does not say what became of it, or the service
   * holds the server and the guild's history knows nothing of it.
   */
  readonly lost: readonly string[];
  /** The service got a server more often than members asked for it, not counting what it turned down. */
  readonly sentTwice: readonly string[];
  /**
   * What the members were told of a server cannot be true:
   * - "accepted" or "rejected" was said more often than the service got the server;
   * - the service got it, and did not turn it down, more often than "accepted", "rejected" and "may have been received" were said;
   * - "accepted" was said more often than the service holds it;
   * - the service holds it more often than "accepted" and "may have been received" were said.
   */
  readonly toldWrongly: readonly string[];
  /** An answer that still says "thinking…" long after everything went well again. */
  readonly leftThinking: readonly string[];
}

/** What an answer says of a server. */
export const CLAIMS = ['accepted', 'rejected', 'unknown', 'nothing sent', 'unclear'] as const;
export type Claim = (typeof CLAIMS)[number];

/** The first that fits. */
const WORDS: readonly (readonly [RegExp, Claim])[] = [
  [/The application did not respond/, 'nothing sent'],
  [/^report\.csv: sent for review$/, 'accepted'],
  [/^report\.csv: refused$/, 'rejected'],
  [/^report\.csv: unknown$/, 'unknown'],
  [/^report\.csv: not sent$/, 'nothing sent'],
  // A warning about a previous submission repeats how that one ended.
  [/Not sent[.:]/, 'nothing sent'],
  [/Servers have been added for review\./, 'accepted'],
  [/❌ Refused\./, 'rejected'],
  [/may have been received/, 'unknown'],
  [
    /nothing was (sent|done)|was not sent|is restarting|run the command again|works only once|on its way/i,
    'nothing sent',
  ],
];

export function claimOf(words: string): Claim {
  return WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'unclear';
}

export function judge({ asks, received, turnedDown, held, isInHistory }: Findings): Verdict {
  const gotten = countEach(received);
  const holds = countEach(held);
  const refused = countEach(turnedDown);
  const lost: string[] = [];
  const sentTwice: string[] = [];
  const toldWrongly: string[] = [];
  const leftThinking: string[] = [];

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

    if (all.some(({ words }) => words === undefined)) leftThinking.push(about);
    if (all.some(({ words }) => words !== undefined && claimOf(words) === 'unclear')) lost.push(about);
    if (has > 0 && !all.some(({ guildId }) => isInHistory(guildId, server))) lost.push(about);
    if (got > all.length) sentTwice.push(about);
    const accepted = count('accepted');
    // Nothing was claimed by an answer that is missing or unclear, which is counted above.
    const open = count('unknown') + count('unclear');
    const isWrong =
      accepted > got ||
      accepted + count('rejected') > got + wasTurnedDown ||
      got > accepted + count('rejected') + open ||
      accepted > has ||
      has > accepted + open;
    if (isWrong) toldWrongly.push(about);
  }
  return { lost, sentTwice, toldWrongly, leftThinking };
}

function countEach(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
