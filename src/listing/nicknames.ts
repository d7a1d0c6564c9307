/**
 * Short names that players and tools (gamedig, LinuxGSM, DiscordGSM) use for games, keyed by normalised name (lower case,
 * no punctuation). Names that merely lack spaces aren't included: "gmod" is here, but not "garrysmod". Sources: the games'
 * communities, the tools' lists, and short names in lists of game servers.
 */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  '7 days to die': ['7d2d', 'sdtd'],
  'ark survival ascended': ['asa'],
  'ark survival evolved': ['ase', 'arkse'],
  'arma reforger': ['armare'],
  'battlefield 2': ['bf2'],
  'battlefield 4': ['bf4'],
  'call of duty 4 modern warfare': ['cod4', 'cod4mw', 'call of duty 4', 'mw'],
  'conan exiles': ['conan'],
  'counter strike': ['cs 1 6', 'hl1cs'],
  'counter strike 1 6': ['cs1 6'],
  'counter strike 2': ['cs'],
  'counter strike global offensive': ['csgo', 'go'],
  'counter strike source': ['cs source'],
  'day of defeat source': ['dods'],
  'dayz mod': ['dayzmod'],
  'euro truck simulator 2': ['ets', 'ets2'],
  factorio: ['facto', 'fctr'],
  fivem: ['gta5f'],
  'garrys mod': ['gmod', 'garry'],
  'grand theft auto san andreas': ['gta sa'],
  'half life 2 deathmatch': ['hl2dm', 'hl2d'],
  'insurgency sandstorm': ['inss'],
  'killing floor 2': ['kf2'],
  minecraft: ['mc', 'mcje', 'java', 'java edition', 'minecraft java', 'minecraft java edition'],
  'minecraft bedrock edition': [
    'mcbe',
    'mcpe',
    'mcb',
    'mbe',
    'minecraftbe',
    'minecraftpe',
    'minecraft bedrock',
  ],
  'multi theft auto san andreas': ['mta', 'mtasa', 'gtasamta', 'gta', 'gta sa'],
  palworld: ['pw'],
  'playerunknowns battlegrounds': ['pubg'],
  'project zomboid': ['zomboid', 'pz', 'przomboid'],
  'quake iii arena': ['q3', 'q3a', 'quake 3', 'quake 3 arena'],
  'red dead redemption 2': ['rdr2', 'redm'],
  'san andreas multiplayer': ['samp', 'gtasam', 'gta', 'gta sa'],
  'sons of the forest': ['sonsforest'],
  'space engineers': ['spaceeng'],
  'team fortress 2': ['tf'],
  terraria: ['terrariatshock'],
  'tom clancys rainbow six 3 raven shield': ['rs3rs', 'r6ravenshield'],
  'tom clancys rainbow six siege': ['r6', 'r6s', 'siege'],
  'unreal tournament 2004': ['ut2k4'],
  unturned: ['unt'],
  'wolfenstein enemy territory': ['et', 'wolfet', 'wet'],
};

export const NICKNAMES: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(BY_NAME));

/**
 * Several games share these nicknames, or they have other meanings. Searches match them, but they don't identify a game.
 */
export const AMBIGUOUS: ReadonlySet<string> = new Set('cs,et,go,gta,gta sa,mw,pw,r6,tf'.split(','));

/** Nicknames that name one edition, so they're clear even if other games' names begin with the same words. */
export const OF_EDITION: ReadonlySet<string> = new Set(
  'mcje,java,java edition,minecraft java,minecraft java edition'.split(','),
);

/** Names of games that are also ordinary words in some language. In a sentence, such a word might not mean the game. */
export const ORDINARY_WORDS: ReadonlySet<string> = new Set([
  ...['ark', 'atlas', 'conan', 'eco', 'enshrouded', 'facto', 'foundry', 'garry', 'go', 'icarus', 'java'],
  ...['insurgency', 'quake', 'raft', 'rust', 'satisfactory', 'scum', 'siege', 'squad'],
  ...['the forest', 'the front', 'the isle', 'unreal', 'unturned'],
]);
