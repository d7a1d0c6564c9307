import { formatAddress, parseAddress } from '../addresses/address.ts';
import { type RowProblem, readRow, type TypedRow } from './row.ts';

/** What can be put in place of what was typed: a value for a field of it; '' leaves the field out. */
export interface Repair {
  readonly field: 'server' | 'game' | 'port' | 'queryPort';
  readonly value: string;
  /** With a game, the port that its servers usually have, where none was typed. */
  readonly port?: string;
}

/** What is obvious to do about a problem, likeliest first; most problems only the person can solve. */
export function repairsOf(problem: RowProblem): readonly Repair[] {
  switch (problem.code) {
    // Never filled in unasked: an SRV record of the name may say another.
    case 'port-missing':
      return problem.usual === undefined ? [] : [portOf(problem.usual)];
    case 'port-conflict':
      return [portOf(problem.inServer), portOf(problem.port)];
    case 'ipv6-brackets':
      return [portOf(problem.port)];
    case 'port-not-a-number':
    case 'port-too-low':
    case 'port-too-high':
      return problem.field === 'query_port' ? [{ field: 'queryPort', value: '' }] : [];
    default:
      return [];
  }
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
  if (field !== 'port') return { ...typed, [field]: value };
  const parsed = parseAddress(typed.server);
  if (parsed.ok) return { ...typed, server: formatAddress({ host: parsed.address.host }), port: value };
  const server = parsed.problem.code === 'ipv6-brackets' ? parsed.problem.host : typed.server;
  return { ...typed, server, port: value };
}
