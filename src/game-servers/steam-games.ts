import type { GameIndex } from '../listing/game-search.ts';

/**
 * The names that a listing service might use for a game, keyed by Steam app id. Game servers report the id of the game's
 * store page. Minecraft and SA-MP aren't on Steam.
 */
const STEAM_GAMES: ReadonlyMap<number, readonly string[]> = new Map([
  [10, ['cs16']],
  [240, ['css']],
  [440, ['tf2']],
  [550, ['l4d2']],
  [730, ['cs2', 'csgo']],
  [4_000, ['gm', "Garry's Mod"]],
  [107_410, ['Arma 3']],
  [221_100, ['dayz']],
  [251_570, ['7 Days to Die']],
  [252_490, ['rust']],
  [304_930, ['Unturned']],
  [346_110, ['ark', 'ARK: Survival Evolved']],
  [393_380, ['Squad']],
  [440_900, ['Conan Exiles']],
  [581_320, ['Insurgency: Sandstorm']],
  [686_810, ['Hell Let Loose']],
  [892_970, ['Valheim']],
  [1_604_030, ['V Rising']],
]);

export type SteamGames = ReadonlyMap<string, number>;

export function steamGamesAmong(games: Pick<GameIndex, 'find'>): SteamGames {
  const ids = [...STEAM_GAMES].flatMap(([appId, names]) =>
    names.flatMap((name) => games.find(name)?.alias ?? []).map((alias) => [alias, appId] as const),
  );
  return new Map(ids);
}
