import { clipped } from '../one-line.ts';

type PortField = 'port' | 'query_port';

export type PortProblem =
  /** `port` is what was typed, cut short. */
  | { readonly code: 'port-not-a-number'; readonly field: PortField; readonly port: string }
  | { readonly code: 'port-too-low'; readonly field: PortField; readonly port: number }
  | { readonly code: 'port-too-high'; readonly field: PortField; readonly port: number };

type PortResult =
  | { readonly ok: true; readonly port: number }
  | { readonly ok: false; readonly problem: PortProblem };

const refused = (problem: PortProblem): PortResult => ({ ok: false, problem });

export const LOWEST_PORT = 1;
/** Ports are 16 bits wide in TCP and UDP; 0 cannot be connected to. */
export const HIGHEST_PORT = 65_535;

/** Reads digits, leading zeros and a sign allowed (a sign is then named as out of range rather than as unreadable). */
export function parsePort(text: string, field: PortField = 'port'): PortResult {
  // Longer ones are no mistyped port, and may be anything a person pasted.
  if (!/^[+-]?\d{1,12}$/.test(text)) {
    return refused({ code: 'port-not-a-number', field, port: clipped(text, 12) });
  }
  // There is a -0, which is another number in tests and in JSON.
  const port = Number(text) || 0;
  if (port < LOWEST_PORT) return refused({ code: 'port-too-low', field, port });
  if (port > HIGHEST_PORT) return refused({ code: 'port-too-high', field, port });
  return { ok: true, port };
}
