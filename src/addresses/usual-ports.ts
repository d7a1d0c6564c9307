/**
 * The default port of each game's dedicated server. The first twelve games are those in the listing specification (§2.3).
 * The others are games that a listing service is likely to add.
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

  // Valve Developer Community, the same pages as for cs2
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

export const EXAMPLE_PORT = 27015;

/** Finds a port to suggest to the user. Never fill it in automatically. */
export const usualPort = (alias: string): number | undefined =>
  Object.hasOwn(USUAL_PORTS, alias) ? USUAL_PORTS[alias] : undefined;
