import { shorten } from '../text/one-line.ts';
import { plainText } from './pasted-text.ts';

type PortField = 'port' | 'query_port';

export type PortProblem =
  /** `port` is the typed text, shortened. */
  | { readonly code: 'port-not-a-number'; readonly field: PortField; readonly port: string }
  | { readonly code: 'port-too-low'; readonly field: PortField; readonly port: number }
  | { readonly code: 'port-too-high'; readonly field: PortField; readonly port: number };

type PortResult =
  | { readonly ok: true; readonly port: number }
  | { readonly ok: false; readonly problem: PortProblem };

const invalid = (problem: PortProblem): PortResult => ({ ok: false, problem });

export const MIN_PORT = 1;
/** TCP and UDP ports are 16 bits wide. Port 0 can't be connected to. */
export const MAX_PORT = 65_535;

/** Parses a port, in digits of any script. Accepts leading zeros. Also accepts a sign, so that `-1` is reported as out of range. */
export function parsePort(text: string, field: PortField = 'port'): PortResult {
  const typed = plainText(text).trim();
  // Only 12 characters are quoted, because longer text isn't a mistyped port and could be anything.
  if (!/^[+-]?\d{1,12}$/.test(typed)) {
    return invalid({ code: 'port-not-a-number', field, port: shorten(typed, 12) });
  }
  // Turns -0 into 0.
  const port = Number(typed) || 0;
  if (port < MIN_PORT) return invalid({ code: 'port-too-low', field, port });
  if (port > MAX_PORT) return invalid({ code: 'port-too-high', field, port });
  return { ok: true, port };
}
