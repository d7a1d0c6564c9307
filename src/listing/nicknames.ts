/**
 * What players call games, where it is neither a part of the name nor the first letters of its words: "gmod", but not
 * "pz" for Project Zomboid. By the name as it is compared: small letters, no punctuation. From the games' own
 * communities and the short names in lists of game servers.
 */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  '7 days to die': ['7d2d', 'sdtd'],
  'ark survival ascended': ['asa'],
  'ark survival evolved': ['ase'],
  'battlefield 2': ['bf2'],
  'battlefield 4': ['bf4'],
  'call of duty 4 modern warfare': ['cod4', 'mw'],
  'conan exiles': ['conan'],
  'counter strike': ['cs 1 6', 'hl1cs'],
  'counter strike 1 6': ['cs1 6'],
  'counter strike 2': ['cs'],
  'counter strike global offensive': ['csgo', 'go'],
  'day of defeat source': ['dods'],
  'euro truck simulator 2': ['ets'],
  factorio: ['facto'],
  'garrys mod': ['gmod', 'garry'],
  'grand theft auto san andreas': ['gta sa'],
  'half life 2 deathmatch': ['hl2dm'],
  'killing floor 2': ['kf2'],
  minecraft: ['mc', 'mcje'],
  'minecraft bedrock edition': ['mcbe', 'mcpe'],
  'multi theft auto san andreas': ['mta', 'mtasa', 'gta', 'gta sa'],
  palworld: ['pw'],
  'playerunknowns battlegrounds': ['pubg'],
  'project zomboid': ['zomboid'],
  'quake iii arena': ['q3', 'q3a', 'quake 3'],
  'red dead redemption 2': ['rdr2', 'redm'],
  'san andreas multiplayer': ['samp', 'gta', 'gta sa', 'sa mp'],
  'space engineers': ['spaceeng'],
  'team fortress 2': ['tf'],
  'tom clancys rainbow six siege': ['r6', 'r6s', 'siege'],
  'unreal tournament 2004': ['ut2k4'],
  unturned: ['unt'],
  'wolfenstein enemy territory': ['et', 'wolfet'],
};

export const NICKNAMES: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(BY_NAME));
