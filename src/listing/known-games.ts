import type { Game } from './contract.ts';

/** The twelve aliases that need no look-up (specification §2.3), with the usual names of their games. */
export const KNOWN_GAMES: readonly Game[] = [
  { name: 'Counter-Strike 2', alias: 'cs2' },
  { name: 'Counter-Strike: Source', alias: 'css' },
  { name: 'Counter-Strike 1.6', alias: 'cs16' },
  { name: 'Counter-Strike: Global Offensive', alias: 'csgo' },
  { name: 'Minecraft', alias: 'minecraft' },
  { name: 'ARK: Survival Evolved', alias: 'ark' },
  { name: 'San Andreas Multiplayer', alias: 'samp' },
  { name: 'Rust', alias: 'rust' },
  { name: "Garry's Mod", alias: 'gm' },
  { name: 'Left 4 Dead 2', alias: 'l4d2' },
  { name: 'Team Fortress 2', alias: 'tf2' },
  { name: 'DayZ', alias: 'dayz' },
];
