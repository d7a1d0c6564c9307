import { createHash } from 'node:crypto';
import type { HistoryFilter } from '../src/submissions/history.ts';

/** What is to be seen of the history; an empty text leaves that part open. */
export interface SubmissionFilter {
  readonly userId: string;
  /** See {@link gameMark}. */
  readonly game: string;
  /** A part of the address. */
  readonly server: string;
}

/** An IPv6 address in brackets fits. Everything has to fit into a custom id, of which a part is not ours to use. */
export const LONGEST_SERVER_FILTER = 45;

/** An alias in 8 characters, since aliases have no greatest length and custom ids do. */
export const gameMark = (alias: string): string =>
  createHash('sha256').update(alias).digest('base64url').slice(0, 8);

/** The filter for the history. An alias is looked for by its mark among the games, and then among former ones. */
export async function historyFilter(
  { userId, game, server }: SubmissionFilter,
  aliases: readonly (() => readonly string[] | Promise<readonly string[]>)[],
): Promise<HistoryFilter> {
  let alias: string | undefined;
  for (const read of game === '' ? [] : aliases) {
    alias ??= (await read()).find((each) => gameMark(each) === game);
  }
  return {
    ...(userId !== '' && { userId }),
    // Nothing has this one.
    ...(game !== '' && { game: alias ?? '' }),
    ...(server !== '' && { address: server.toLowerCase() }),
  };
}

/** A filter as a part of a custom id; a Discord id takes 13 characters in base 36. */
export function writeFilter({ userId, game, server }: SubmissionFilter): string {
  return [userId === '' ? '' : BigInt(userId).toString(36), game, server].join(':');
}

/** The reverse of {@link writeFilter}. The address may hold colons. */
export function readFilter(state: string): SubmissionFilter {
  const [user = '', game = '', ...server] = state.split(':');
  const id = [...user].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36) || 0), 0n);
  return { userId: user === '' ? '' : String(id), game, server: server.join(':') };
}
