type PortField = 'port' | 'query_port';

export type PortProblem =
  /** `port` is what was typed, cut short. */
  | { readonly code: 'port-not-a-number'; readonly field: PortField; readonly port: string }
  | { readonly code: 'port-too-low'; readonly field: PortField; readonly port: number }
  | { readonly code: 'port-too-high'; readonly field: PortField; readonly port: number };

type PortResult =
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

/**
 * What each game's dedicated server listens on when nobody changes it. The first twelve are the aliases of the
 * listing specification §2.3; the others are games a listing service is likely to add.
 */
const USUAL_PORTS: Readonly<Record<string, number>> = {
  // Valve Developer Community, "Source Dedicated Server" and "Half-Life Dedicated Server": -port 27015
  cs2: 27015,
  css: 27015,
  cs16: 27015,
  csgo: 27015,
  gm: 27015,
  l4d2: 27015,
  tf2: 27015,
  // Minecraft Wiki, "Server.properties": server-port
  minecraft: 25565,
  // ARK Wiki, "Dedicated server setup": Port
  ark: 7777,
  // SA-MP Wiki, "Server.cfg": port
  samp: 7777,
  // Rust: server.port
  rust: 28015,
  // Bohemia Interactive Community, "DayZ:Hosting a Linux Server"
  dayz: 2302,

  // Valve Developer Community, as above
  garrysmod: 27015,
  gmod: 27015,
  l4d: 27015,
  // Bohemia Interactive Community, "Arma 3: Dedicated Server"
  arma3: 2302,
  // Cfx.re documentation, "Setting up a FXServer": endpoint_add_udp
  fivem: 30120,
  // Valheim dedicated server manual: -port
  valheim: 2456,
  // Terraria Wiki, "Server": serverconfig.txt, port
  terraria: 7777,
  // 7 Days to Die: serverconfig.xml, ServerPort
  '7dtd': 26900,
  // Palworld server guide: -port
  palworld: 8211,
};

/** The port servers of a game usually have; a hint for the person, never filled in for them. */
export const usualPort = (alias: string): number | undefined =>
  Object.hasOwn(USUAL_PORTS, alias) ? USUAL_PORTS[alias] : undefined;
