import { formatAddress, parseAddress } from '../addresses/address.ts';
import { HIGHEST_PORT } from '../addresses/port.ts';
import { usualPort } from '../addresses/usual-ports.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { gameOf, type RowProblem, readRow, type TypedRow } from './row.ts';

/**
 * What can be put in place of what was typed: a value for a field of it; '' leaves the field out. `swap` exchanges the address
 * and the game, and has no value.
 */
export interface Repair {
  readonly field: 'server' | 'game' | 'port' | 'queryPort' | 'swap';
  readonly value: string;
  /** With a game, the port that its servers usually have, where none was typed. */
  readonly port?: string;
}

/**
 * What is obvious to do about a problem, likeliest first; most problems only the person can solve.
 * @param game the alias of the game, if it is known
 */
export function repairsOf(problem: RowProblem, game?: string): readonly Repair[] {
  switch (problem.code) {
    // Never filled in unasked: an SRV record of the name may say another.
    case 'port-missing':
      return problem.usual === undefined ? [] : [portOf(problem.usual)];
    case 'port-conflict':
      return [portOf(problem.inServer), portOf(problem.port)];
    case 'ipv6-brackets':
      return [portOf(problem.port)];
    case 'port-too-high':
      if (problem.field === 'port') return nearPorts(problem.port, game).map(portOf);
      return [{ field: 'queryPort', value: '' }];
    case 'port-not-a-number':
    case 'port-too-low':
      return problem.field === 'query_port' ? [{ field: 'queryPort', value: '' }] : [];
    default:
      return [];
  }
}

/** The port that a number with a digit too many was meant to be: the usual one, or else one without a digit that is doubled. */
function nearPorts(typed: number, game: string | undefined): readonly number[] {
  const digits = String(typed);
  const shorter = Array.from(digits, (_, index) => Number(digits.slice(0, index) + digits.slice(index + 1)));
  const usual = game === undefined ? undefined : usualPort(game);
  if (usual !== undefined && shorter.includes(usual)) return [usual];
  const undoubled = shorter.filter(
    (port, index) => digits[index] === digits[index + 1] && port <= HIGHEST_PORT,
  );
  const [near, ...others] = new Set(undoubled);
  return near === undefined || others.length > 0 ? [] : [near];
}

/** Whether the game was typed as the address, and the address as the game. */
export const isSwapped = ({ server, game }: TypedRow, games: Pick<GameIndex, 'find'>): boolean =>
  gameOf(server, games) !== undefined && parseAddress(game).ok;

/** The address that was meant, where commas stand for its dots. */
export function withDots(server: string): string | undefined {
  if (!/^[\p{L}\p{N}-]{1,63}(?:,[\p{L}\p{N}-]{1,63}){1,9}(?::\d{1,5})?$/u.test(server)) return undefined;
  const address = server.replaceAll(',', '.');
  return parseAddress(address).ok ? address : undefined;
}

const portOf = (port: number | string): Repair => ({ field: 'port', value: String(port) });

/** A game in place of the one that was typed, with its usual port where nothing else is missing then. */
export function gameRepair(typed: TypedRow, alias: string): Repair {
  const repair: Repair = { field: 'game', value: alias };
  const read = readRow(repaired(typed, repair), alias);
  const isPortMissing = !read.ok && read.problem.code === 'port-missing' && read.problem.usual !== undefined;
  return isPortMissing ? { ...repair, port: String(read.problem.usual) } : repair;
}

/** What was typed with something else in a field. A port is then the only one, wherever one stood before. */
export function repaired(typed: TypedRow, { field, value, port }: Repair): TypedRow {
  if (port !== undefined) return repaired({ ...typed, [field]: value }, portOf(port));
  if (field === 'swap') return { ...typed, server: typed.game, game: typed.server };
  if (field !== 'port') return { ...typed, [field]: value };
  const parsed = parseAddress(typed.server);
  if (parsed.ok) return { ...typed, server: formatAddress({ host: parsed.address.host }), port: value };
  if (parsed.problem.code === 'ipv6-brackets') return { ...typed, server: parsed.problem.host, port: value };
  // A port in the address that is none.
  return { ...typed, server: typed.server.replace(/:\d{1,12}$/u, ''), port: value };
}
