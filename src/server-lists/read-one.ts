import { parseAddress } from '../addresses/address.ts';
import type { Game } from '../listing/contract.ts';
import type { Games } from '../listing/games.ts';
import { withDots } from './repair.ts';
import {
  type InvalidRow,
  type ReadyRow,
  type Row,
  readRow,
  rowWithoutPasswords,
  type TypedRow,
  typedOf,
} from './row.ts';

/** What is taken for an alias that we do not know: all of the specification (§2.3) are much shorter. */
const ALIAS = /^[\w.-]{1,50}$/;
export const LONGEST_ALIAS = 50;

/** The game that was typed. Where it is not known the service is asked for its games, unless they are fresh. */
export async function gameTyped(
  typed: string,
  games: Pick<Games, 'find' | 'isFresh' | 'refresh'>,
  guildId: string,
): Promise<Game | undefined> {
  if (!games.find(typed) && !games.isFresh()) await games.refresh(guildId);
  return games.find(typed);
}

/** Whether what was typed as an address is one, and nothing else could be read out of it. */
export const isOneAddress = (typed: string): boolean =>
  !/[\s,;]/u.test(typed.trim()) && parseAddress(typed).ok;

/**
 * Reads what was typed into the fields for one server. Only the service knows which games it takes: while its list is unknown,
 * what may be an alias is one.
 * @param found the servers in what was typed as the address, as in a message
 * @returns a row with what was typed, without passwords, since it is stored
 */
export function readOne(
  typed: TypedRow,
  found: readonly Row[],
  games: Pick<Games, 'find' | 'isFresh'>,
): ReadyRow | InvalidRow {
  const isPossible = !games.isFresh() && ALIAS.test(typed.game);
  const alias = games.find(typed.game)?.alias ?? (isPossible ? typed.game : undefined);
  const kept = { line: 1, typed: rowWithoutPasswords(typed) };
  // The game comes first: which port is missing depends on it.
  if (alias === undefined) {
    return { kind: 'invalid', ...kept, problem: { code: 'game-unknown', game: typed.game } };
  }
  const reading = readRow({ ...typed, game: alias }, alias);
  if (reading.ok) return { kind: 'ready', ...kept, submission: reading.submission };
  const address = addressAmongWords(typed, found);
  return { kind: 'invalid', ...kept, problem: reading.problem, ...(address !== undefined && { address }) };
}

/** The one address in what was typed, where there are words or a web page around it. */
function addressAmongWords({ server }: TypedRow, [only, ...others]: readonly Row[]): string | undefined {
  if (parseAddress(server).ok) return undefined;
  const dotted = withDots(server.trim());
  if (dotted !== undefined || others.length > 0) return dotted;
  const address = typedOf(only).server;
  return parseAddress(address).ok ? address : undefined;
}
