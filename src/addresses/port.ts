export type PortField = 'port' | 'query_port';

export type PortProblem =
  /** `port` is what was typed, cut short. */
  | { readonly code: 'port-not-a-number'; readonly field: PortField; readonly port: string }
  | { readonly code: 'port-too-low'; readonly field: PortField; readonly port: number }
  | { readonly code: 'port-too-high'; readonly field: PortField; readonly port: number };

export type PortResult =
  | { readonly ok: true; readonly port: number }
  | { readonly ok: false; readonly problem: PortProblem };

export const LOWEST_PORT = 1;
/** Ports are 16 bits wide in TCP and UDP; 0 cannot be connected to. */
export const HIGHEST_PORT = 65_535;

/** Reads digits, leading zeros and a sign allowed (a sign is then named as out of range rather than as unreadable). */
export function parsePort(text: string, field: PortField = 'port'): PortResult {
  if (!/^[+-]?\d+$/.test(text)) {
    // Longer ones are no mistyped port, and may be anything a person pasted.
    const port = text.length <= 12 ? text : `${[...text].slice(0, 11).join('')}…`;
    return { ok: false, problem: { code: 'port-not-a-number', field, port } };
  }
  return checkPort(Number(text), field);
}

/** A whole number in 1–65535, or why not. */
export function checkPort(value: number, field: PortField = 'port'): PortResult {
  if (Number.isNaN(value) || (!Number.isInteger(value) && Number.isFinite(value))) {
    return { ok: false, problem: { code: 'port-not-a-number', field, port: String(value).slice(0, 12) } };
  }
  // Clamped, so that it stays a number in JSON and in a sentence.
  const port = Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
  if (value < LOWEST_PORT) return { ok: false, problem: { code: 'port-too-low', field, port: port || 0 } };
  if (value > HIGHEST_PORT) return { ok: false, problem: { code: 'port-too-high', field, port } };
  return { ok: true, port };
}
