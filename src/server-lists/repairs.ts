import { formatAddress, parseAddress } from '../addresses/address.ts';
import type { ServerProblem, TypedRow } from './row.ts';

/** What can be put in place of what was typed: a value for a field of it; '' leaves the field out. */
export interface Repair {
  readonly field: 'game' | 'port' | 'queryPort';
  readonly value: string;
}

/** What is obvious to do about a problem, likeliest first; most problems only the person can solve. */
export function repairsOf(problem: ServerProblem): readonly Repair[] {
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

/** What was typed with something else in a field. A port is then the only one, wherever one stood before. */
export function repaired(typed: TypedRow, { field, value }: Repair): TypedRow {
  if (field !== 'port') return { ...typed, [field]: value };
  const parsed = parseAddress(typed.server);
  if (parsed.ok) return { ...typed, server: formatAddress({ host: parsed.address.host }), port: value };
  const server = parsed.problem.code === 'ipv6-brackets' ? parsed.problem.host : typed.server;
  return { ...typed, server, port: value };
}
