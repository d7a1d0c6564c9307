import { formatAddress, parseAddress } from '../addresses/address.ts';
import { MAX_PORT } from '../addresses/port.ts';
import { usualPort } from '../addresses/usual-ports.ts';
import type { GameIndex } from '../listing/game-search.ts';
import {
  gameOf,
  type InvalidRow,
  type Row,
  type RowProblem,
  readRow,
  type TypedRow,
  withPort,
} from './row.ts';

/** A correction to the typed text. `value` is the field's new text; '' clears it. `swap` exchanges address and game. */
export interface Repair {
  readonly field: 'server' | 'game' | 'port' | 'queryPort' | 'swap';
  readonly value: string;
  /** A port to set as well: the new game's default port if no port was typed, or the first of two ports. */
  readonly port?: string;
}

/** Returns the obvious fixes for a problem, most likely first. Usually [], because only the member knows the right value. */
export function repairsOf(problem: RowProblem, alias?: string, typedQueryPort = ''): readonly Repair[] {
  switch (problem.code) {
    // The port is only suggested, never filled in automatically, because the host's SRV record may specify a different one.
    case 'port-missing':
      return problem.usual === undefined ? [] : [portOf(problem.usual)];
    case 'port-conflict':
      return [
        portOf(problem.inServer),
        portOf(problem.port),
        // The second port may be the query port.
        ...(typedQueryPort === '' ? [queryPortOf(problem.port, problem.inServer)] : []),
      ];
    case 'ipv6-brackets':
      return [portOf(problem.port)];
    case 'port-too-high':
      if (problem.field === 'port') return nearPorts(problem.port, alias).map(portOf);
      return [{ field: 'queryPort', value: '' }];
    case 'port-too-low':
      if (problem.field === 'port') return usualPortsOf(alias).map(portOf);
      return [{ field: 'queryPort', value: '' }];
    case 'port-not-a-number': {
      if (problem.field === 'query_port') return [{ field: 'queryPort', value: '' }];
      const port = withoutThousands(problem.port);
      return port === problem.port ? [] : [portOf(port)];
    }
    case 'look-alikes':
      return problem.meant === undefined ? [] : [{ field: 'server', value: problem.meant }];
    default:
      return [];
  }
}

export const meantAddress = (row: Row): string | undefined =>
  row.kind === 'invalid' && row.problem.code === 'look-alikes' ? row.problem.meant : undefined;

/**
 * Returns the port that the member may have meant if the number has one digit too many. If removing a digit results in the
 * game's default port, returns that port. Otherwise, returns the number without its only doubled digit, if it has one.
 */
function nearPorts(typed: number, alias: string | undefined): readonly number[] {
  const digits = String(typed);
  const shorter = Array.from(digits, (_, index) => Number(digits.slice(0, index) + digits.slice(index + 1)));
  const usual = usualPortsOf(alias);
  if (usual.some((port) => shorter.includes(port))) return usual;
  const [near, ...others] = shorter.filter((_, index) => digits[index] === digits[index + 1]);
  return near === undefined || near > MAX_PORT || others.length > 0 ? [] : [near];
}

function usualPortsOf(alias: string | undefined): readonly number[] {
  const usual = alias === undefined ? undefined : usualPort(alias);
  return usual === undefined ? [] : [usual];
}

export function usualPortRepair(
  { problem, typed }: InvalidRow,
  games: Pick<GameIndex, 'find'>,
): Repair | undefined {
  if (!MISSING_OR_IMPOSSIBLE_PORT.has(problem.code)) return undefined;
  const alias = gameOf(typed.game, games);
  const usual = usualPortsOf(alias).map(String);
  return repairsOf(problem, alias).find(({ field, value }) => field === 'port' && usual.includes(value));
}

const MISSING_OR_IMPOSSIBLE_PORT: ReadonlySet<RowProblem['code']> = new Set([
  'port-missing',
  'port-too-low',
  'port-too-high',
]);

export const isSwapped = ({ server, game }: TypedRow, games: Pick<GameIndex, 'find'>): boolean =>
  gameOf(server, games) !== undefined && parseAddress(game).ok;

/** Returns the address with dots if the member typed commas instead, or spaces beside the dots. */
export function withDots(server: string): string | undefined {
  const hasCommas = /^[\p{L}\p{N}-]{1,63}(?:,[\p{L}\p{N}-]{1,63}){1,9}(?::\d{1,5})?$/u.test(server);
  const address = hasCommas ? server.replaceAll(',', '.') : server.replace(/ {1,3}\. {0,3}|\. {1,3}/gu, '.');
  if (address === server || /\s/u.test(address)) return undefined;
  return parseAddress(address).ok ? address : undefined;
}

/** A port that a spreadsheet formatted as an amount, such as `28.015`. */
const THOUSANDS = /^([1-9]\d?)[., '](\d{3})$/u;

function withoutThousands(port: string): string {
  const digits = port.replace(THOUSANDS, '$1$2');
  return Number(digits) <= MAX_PORT ? digits : port;
}

/** Returns the text that the member probably meant: ports without separators, and an address with dots. Only suggest it. */
export const asMeant = ({ server, port, queryPort, game }: TypedRow): TypedRow => ({
  server: parseAddress(server).ok ? server : (withDots(server) ?? server),
  port: withoutThousands(port),
  queryPort: withoutThousands(queryPort),
  game,
});

/** Returns the value that differs from the typed text in {@link asMeant}, if any. A new address includes the port. */
export function meantValue(typed: TypedRow): string | undefined {
  const meant = asMeant(typed);
  if (meant.server !== typed.server) return withPort(meant, meant.port).server;
  if (meant.port !== typed.port) return meant.port;
  return meant.queryPort === typed.queryPort ? undefined : meant.queryPort;
}

const portOf = (port: number | string): Repair => ({ field: 'port', value: String(port) });

const queryPortOf = (queryPort: number, port: number): Repair => ({
  field: 'queryPort',
  value: String(queryPort),
  port: String(port),
});

/** Adds the new game's default port if the row would otherwise lack only a port. */
export function gameRepair(typed: TypedRow, alias: string): Repair {
  const repair: Repair = { field: 'game', value: alias };
  const read = readRow(repaired(typed, repair), alias);
  const isPortMissing = !read.ok && read.problem.code === 'port-missing' && read.problem.usual !== undefined;
  return isPortMissing ? { ...repair, port: String(read.problem.usual) } : repair;
}

/** Removes the port from the address if the correction sets a port. */
export function repaired(typed: TypedRow, { field, value, port }: Repair): TypedRow {
  if (port !== undefined) return repaired({ ...typed, [field]: value }, portOf(port));
  if (field === 'swap') return { ...typed, server: typed.game, game: typed.server };
  if (field !== 'port') return { ...typed, [field]: value };
  const parsed = parseAddress(typed.server);
  if (parsed.ok) return { ...typed, server: formatAddress({ host: parsed.address.host }), port: value };
  if (parsed.problem.code === 'ipv6-brackets') return { ...typed, server: parsed.problem.host, port: value };
  // The address contains an invalid port.
  return { ...typed, server: typed.server.replace(/:\d{1,12}$/u, ''), port: value };
}
