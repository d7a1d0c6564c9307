import { parseAddress } from '../addresses/address.ts';
import { isAboutLetters } from '../addresses/name-letters.ts';
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

/** Matches text that could be a game's alias, if it isn't too long. The specification's aliases (§2.3) are all much shorter. */
const ALIAS = /^[\w.-]+$/;
export const MAX_ALIAS_LENGTH = 50;

export async function findOrFetchGame(
  typed: string,
  games: Pick<Games, 'find' | 'isFresh' | 'refresh'>,
  guildId: string,
): Promise<Game | undefined> {
  if (!games.find(typed) && !games.isFresh()) await games.refresh(guildId);
  return games.find(typed);
}

export const isOneAddress = (typed: string): boolean =>
  !/[\s,;]/u.test(typed.trim()) && parseAddress(typed).ok;

/**
 * Reads the form fields for one server. Only the service knows which games it accepts, so anything that could be an alias
 * is accepted if the games haven't been fetched yet.
 * @param found the servers found in the address field, which is searched like a message
 * @returns a row with the typed text, without passwords because rows are stored
 */
export function readOne(
  typed: TypedRow,
  found: readonly Row[],
  games: Pick<Games, 'find' | 'isFresh'>,
): ReadyRow | InvalidRow {
  const isAlias = typed.game.length <= MAX_ALIAS_LENGTH && ALIAS.test(typed.game);
  const isPossible = !games.isFresh() && isAlias;
  const alias = games.find(typed.game)?.alias ?? (isPossible ? typed.game : undefined);
  const kept = { line: 1, typed: rowWithoutPasswords(typed) };
  // The game is checked first, because the suggested port depends on it.
  if (alias === undefined) {
    return { kind: 'invalid', ...kept, problem: { code: 'game-unknown', game: typed.game } };
  }
  const reading = readRow({ ...typed, game: alias }, alias);
  if (reading.ok) return { kind: 'ready', ...kept, submission: reading.submission };
  const [only, ...others] = found;
  if (only?.kind === 'invalid' && others.length === 0 && isAboutLetters(only.problem)) {
    return { kind: 'invalid', ...kept, problem: only.problem };
  }
  const address = addressAmongWords(typed, found);
  return { kind: 'invalid', ...kept, problem: reading.problem, ...(address !== undefined && { address }) };
}

/** Returns the only address in the text if there are words around it, or if it's part of a web address. */
function addressAmongWords({ server }: TypedRow, [only, ...others]: readonly Row[]): string | undefined {
  if (parseAddress(server).ok) return undefined;
  const dotted = withDots(server.trim());
  if (dotted !== undefined || others.length > 0) return dotted;
  const address = typedOf(only).server;
  return parseAddress(address).ok ? address : undefined;
}
