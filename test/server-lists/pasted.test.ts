import { describe, expect, it } from 'vitest';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import { formatAddress } from '../../src/addresses/address.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import { readList } from '../../src/server-lists/read-list.ts';
import { type Row, rowText } from '../../src/server-lists/row.ts';

const games = indexGames(SANDBOX_GAMES);

/** A row as `host:port game [query]`, or as what is wrong and what stands there. */
function inWords(row: Row): string {
  if (row.kind === 'refused') return `${row.problem.code}: ${rowText(row.typed)}`;
  const { server: host, port, game, queryPort } = row.submission;
  return [formatAddress({ host, port }), game, queryPort].filter(Boolean).join(' ');
}

function listed(text: string, defaultGame?: string): readonly string[] {
  const list = readList(text, { ...games, defaultGame });
  if (list.kind !== 'rows') return [list.kind];
  return [...list.rows.map(inWords), ...(list.noise > 0 ? [`${list.noise} left out`] : [])];
}
const inMessage = (text: string) => rowsOfMessage(text, games).map(inWords);

describe('a list of one game', () => {
  it.each([
    ['name in front (cs16-stats)', '#7 BREAKING [PUBLIC] 8.8.8.8:27065', ['8.8.8.8:27065 cs2']],
    ['name with #1 (cs16-stats)', 'Wolves | Assault 1000 FPS #1 8.8.8.8:27084', ['8.8.8.8:27084 cs2']],
    ['name with # (cs16-stats)', 'CS.EXAMPLE.RO • [CASINO # SKINS] 8.8.8.8:1', ['8.8.8.8:1 cs2']],
    ['a web site in the name', 'EXAMPLE.COM 8.8.8.8:27283', ['8.8.8.8:27283 cs2']],
    ['name behind (playperium)', 'A.EXAMPLE.COM:27017 – PVE (Center)', ['a.example.com:27017 cs2']],
    ['an alias of the console', 'alias surf "connect 8.8.8.8:27015"', ['8.8.8.8:27015 cs2']],
    ['a version in a line of its own', '1.20.4\n8.8.8.8:1', ['8.8.8.8:1 cs2', '1 left out']],
    ['a comment of a program', '// connect 8.8.8.8:27015', []],
    ['a comment behind', '8.8.8.8:1 # was 8.8.4.4:1', ['8.8.8.8:1 cs2']],
    ['a comment', '# 8.8.8.8:1\n#8.8.4.4:1', []],
    ['cells with names (CS2-Server-Browser)', 'FR, DUST2 24/7 DM, 8.8.8.8, 27015, DM', ['8.8.8.8:27015 cs2']],
    [
      'headings (CS2Browser)',
      'Only AWP\nconnect 8.8.8.8:1\n\n5x5\nconnect 8.8.8.8:2',
      ['8.8.8.8:1 cs2', '8.8.8.8:2 cs2', '2 left out'],
    ],
    [
      'several ports',
      '8.8.8.8:27015, 27016, 27017',
      ['8.8.8.8:27015 cs2', '8.8.8.8:27016 cs2', '8.8.8.8:27017 cs2'],
    ],
    [
      'a list of ports (KTP)',
      '"ATL": {"ip": "8.8.8.8", "user": "x", "ports": [27015, 27016, 27015]},',
      ['8.8.8.8:27015 cs2', '8.8.8.8:27016 cs2'],
    ],
    [
      'several ports of what is no address',
      '8.8.8.8:70000, 27016, 27017',
      ['port-too-high: 8.8.8.8:70000 cs2'],
    ],
    ['a port on its own line', 'IP: 8.8.8.8\nPort: 27015', ['8.8.8.8:27015 cs2']],
    ['a port on its own line, Russian', 'IP адрес сервака: 8.8.8.8\nПорт: 27015', ['8.8.8.8:27015 cs2']],
    ['labels with a comma', 'Server IP: 8.8.8.8, Port: 27015', ['8.8.8.8:27015 cs2']],
    ['a port behind, Chinese', '服务器IP：8.8.8.8 端口：27015', ['8.8.8.8:27015 cs2']],
    ['INI', '[server]\nip=8.8.8.8\nport=27015\nqueryport=27016', ['8.8.8.8:27015 cs2 27016', '1 left out']],
    [
      'YAML',
      '- name: One\n  host: play.example.com\n  port: 27015',
      ['play.example.com:27015 cs2', '1 left out'],
    ],
    [
      'PHP',
      "'host' => 'a.example.com:16567',\n'options' => [\n'query_port' => 29900\n]",
      ['a.example.com:16567 cs2 29900', '1 left out'],
    ],
    [
      'Steam in JavaScript (steam.js)',
      "addr: '8.8.8.8:28017',\ngameport: 28015,",
      ['8.8.8.8:28015 cs2 28017'],
    ],
    [
      'ports above',
      '- port: 1\n  host: 8.8.8.8\n- port: 2\n  query: 3\n  host: 8.8.4.4',
      ['port-missing: 8.8.8.8 cs2', 'port-missing: 8.8.4.4 cs2', '3 left out'],
    ],
    [
      'ports before, on one line',
      '<server port="1" ip="8.8.8.8"/><server port="2" ip="8.8.4.4"/>',
      ['port-missing: 8.8.8.8 cs2', 'port-missing: 8.8.4.4 cs2'],
    ],
    ['two on a line', '8.8.8.8:1 - 8.8.4.4:2', ['8.8.8.8:1 cs2', '8.8.4.4:2 cs2']],
    ['a name and its number', 'play.example.com (8.8.8.8:1)', ['8.8.8.8:1 cs2']],
    ['a password before (derived)', 'PW: secret | IP: 8.8.8.8:27015', ['8.8.8.8:27015 cs2']],
    ['what is no password', 'PW Meat GEN1 8.8.8.8:7777', ['8.8.8.8:7777 cs2']],
    ['nothing but a password', 'PW Meat GEN1', ['1 left out']],
    ['slots', '8.8.8.8:27015 (32 slots)', ['8.8.8.8:27015 cs2']],
    ['slots and no port', 'IP: 8.8.8.8 32 slots', ['port-missing: 8.8.8.8 cs2']],
    ['a year', 'Since 8.8.8.8 2019 and on', ['port-missing: 8.8.8.8 cs2']],
    [
      'status (serveme.tf)',
      'hostname: One #1\nversion : 3032525/24 secure\nudp/ip  : 8.8.8.8:27015  (public ip: 8.8.8.8)\nsourcetv:  port 27020, delay 30.0s',
      ['8.8.8.8:27015 cs2', '3 left out'],
    ],
    [
      'status by a relay',
      'udp/ip  : 169.254.173.35:13768 (local: 0.0.0.0:27015) (public IP from Steam: 8.8.8.8)',
      ['not-public: 169.254.173.35:13768 cs2', 'not-public: 0.0.0.0:27015 cs2'],
    ],
    ['a version', 'version : 1.38.2.2\nバージョン: 1.20.4.1\nWersja 1.20.4.1', ['3 left out']],
    ['settings of a server', 'query.port=25570\nrcon.port=25575', ['2 left out']],
    [
      'voice in a table',
      'name,ip,port\nTeamSpeak,8.8.8.8,9987\nOurs,8.8.8.8,1',
      ['8.8.8.8:1 cs2', '1 left out'],
    ],
    ['voice in JSON', '[{"name":"TS3 server","ip":"8.8.8.8","port":9987}]', ['1 left out']],
    ['voice', 'TS: 8.8.8.8:9987\nTeamspeak 3: ts.example.com:9987\nMumble 8.8.8.8:64738', ['3 left out']],
    [
      'masked',
      '51.222.21.XXX:7777\nx.x.x.x:27015\n192.168.x.x',
      ['ipv4-form: 51.222.21.XXX:7777 cs2', 'ipv4-form: x.x.x.x:27015 cs2', 'ipv4-form: 192.168.x.x cs2'],
    ],
    ['local', 'conloc "connect localhost:27000"', ['reserved-name: localhost:27000 cs2']],
    [
      'a link',
      'https://example.com/servers/1\nDiscord: https://example.com/x',
      ['web-address: https://example.com cs2', '1 left out'],
    ],
    [
      'a page about one (gametracker)',
      'http://www.example.com/server_info/8.8.8.8:2302/',
      ['8.8.8.8:2302 cs2'],
    ],
    [
      'another game by its name',
      "Garry's Mod: 8.8.8.8:1\nrust 8.8.8.8:2",
      ['8.8.8.8:1 gm', '8.8.8.8:2 rust'],
    ],
    ['another game among the words', "Our Garry's Mod roleplay 8.8.8.8:1", ['game-missing: 8.8.8.8:1']],
    ['a word that is another game', 'Rust Vanilla 8.8.8.8:1', ['game-missing: 8.8.8.8:1']],
    ['a web page with a port', 'http://8.8.8.8:8080/status', ['web-address: http://8.8.8.8 cs2']],
    ['a game that is not in the list', 'Battlefield 2: 8.8.8.8:1', ['game-unknown: 8.8.8.8:1 Battlefield 2']],
  ])('is read: %s', (_, text, expected) => expect(listed(text, 'cs2')).toEqual(expected));

  it('needs no port where the text says that a name is an address', () => {
    const text =
      '1：one ip：mc.example.com 人多\n服务器IP：MC.EXAMPLE.ORG\nServer IP: play.example.com\nA play.example.net B';
    expect(listed(text, 'minecraft')).toEqual([
      'port-missing: mc.example.com minecraft',
      'port-missing: mc.example.org minecraft',
      'port-missing: play.example.com minecraft',
      'port-missing: play.example.net minecraft',
    ]);
  });
});

describe('a list that names its games', () => {
  it.each([
    [
      'in front (GameStatus)',
      'CSGO:AXE Casual:8.8.8.8:27015\nMC:Public Minecraft:8.8.4.4:25565',
      ['8.8.8.8:27015 csgo', '8.8.4.4:25565 minecraft'],
    ],
    [
      'all on one line (a German board)',
      'Ark - Survival Evolved (Aberration): 8.8.8.8:1   Reign of Kings: 8.8.8.8:2   Teamspeak 3: 8.8.8.8',
      ['8.8.8.8:1 ark', 'game-missing: 8.8.8.8:2'],
    ],
    ['between', '8.8.8.8:1 rust 8.8.8.8:2', ['game-missing: 8.8.8.8:1', 'game-missing: 8.8.8.8:2']],
    ['before the second', '8.8.8.8:1, Rust: 8.8.8.8:2', ['game-missing: 8.8.8.8:1', '8.8.8.8:2 rust']],
    ['behind each', '8.8.8.8:1 rust, 8.8.8.8:2 minecraft', ['8.8.8.8:1 rust', '8.8.8.8:2 minecraft']],
    [
      'in a table with |',
      "Port is 10999.\n\nIP:Port|Game|Version\n---|---|---\n8.8.8.8:12346|Don't Starve Together|438711",
      ['8.8.8.8:12346 dst', '1 left out'],
    ],
    [
      'in a table with tabs',
      "IP:Port\tGame\tVersion\n8.8.8.8:12346\tDon't Starve Together\t438711",
      ['8.8.8.8:12346 dst'],
    ],
    [
      'in a table of the name and the address',
      'server,ip,port,game\nMy server,8.8.8.8,1,cs2',
      ['8.8.8.8:1 cs2'],
    ],
    [
      'above',
      "# Counter-Strike 2\n8.8.8.8:1\n\n# Garry's Mod\n8.8.8.8:2\n# Other\n8.8.8.8:3",
      ['8.8.8.8:1 cs2', '8.8.8.8:2 gm', 'game-missing: 8.8.8.8:3'],
    ],
    ['with players behind', '8.8.8.8:28015,Rust,723', ['query-port-unlikely: 8.8.8.8:28015 Rust 723']],
    [
      'by ids of other tools',
      '8.8.8.8:1 garrysmod\n8.8.8.8:2 counterstrike2\n8.8.8.8:3 sdtd\n8.8.8.8:4 Rust (2013)',
      ['8.8.8.8:1 gm', '8.8.8.8:2 cs2', '8.8.8.8:3 7dtd', '8.8.8.8:4 rust'],
    ],
    [
      'by links',
      'samp://8.8.8.8:1\nfivem://connect/8.8.8.8:2\nminecraft:?addExternalServer=My Server|play.example.com:19132\nminecraft://connect?serverUrl=8.8.8.8&serverPort=19132',
      ['8.8.8.8:1 samp', '8.8.8.8:2 fivem', 'play.example.com:19132 bedrock', '8.8.8.8:19132 bedrock'],
    ],
  ])('is read: %s', (_, text, expected) => expect(listed(text)).toEqual(expected));
});

describe('JSON', () => {
  it.each([
    [
      'Steam',
      '{"response":{"servers":[{"addr":"8.8.8.8:27016","gameport":27015,"name":"A | x.example.com:1","appid":730}]}}',
      ['8.8.8.8:27015 cs2 27016'],
    ],
    [
      'by address',
      '{"active":{"8.8.8.8:1":{"players":{},"address":"8.8.8.8:1"},"8.8.8.8:2":{"address":"8.8.8.8:2"}},"empty":{}}',
      ['8.8.8.8:1 cs2', '8.8.8.8:2 cs2'],
    ],
    ['ports', '{"a":{"ip":"8.8.8.8","ports":[1,2,1]}}', ['8.8.8.8:1 cs2', '8.8.8.8:2 cs2']],
    [
      'ports of an address with words around it',
      '{"a":{"ip":"connect 8.8.8.8; x","ports":[0,"3",1]}}',
      ['port-too-low: 8.8.8.8 0 cs2', '8.8.8.8:1 cs2'],
    ],
    ['ports of what is no address', '{"a":{"ip":"127.1","ports":[1,2]}}', ['ipv4-form: 127.1 cs2']],
    ['texts', '{"servers":["8.8.8.8:1","about"],"b":"8.8.8.8:2"}', ['8.8.8.8:1 cs2', '8.8.8.8:2 cs2']],
    [
      'types',
      '[{"type":"rust","host":"8.8.8.8","port":1},{"type":"PC","host":"8.8.8.8","port":2}]',
      ['8.8.8.8:1 rust', '8.8.8.8:2 cs2'],
    ],
    ['nothing', '{"a":{"b":[1,null]}}', ['server-missing: cs2']],
    ['deep', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, ['not-an-object: ']],
  ])('is read at any depth: %s', (_, text, expected) => expect(listed(text, 'cs2')).toEqual(expected));
});

describe('a message', () => {
  it.each([
    ['the game before', "Our Garry's Mod server: 8.8.8.8:27015", ['8.8.8.8:27015 gm']],
    ['a label', '**Game:** Rust\n**IP:** 8.8.8.8:28015', ['8.8.8.8:28015 rust']],
    ['a label behind', 'IP: 8.8.8.8:28015\nGame: Rust', ['8.8.8.8:28015 rust']],
    [
      'labels behind of several',
      'IP: 8.8.8.8:1\nGame: Rust\n\nIP: 8.8.8.8:2\nGame: Minecraft',
      ['game-missing: 8.8.8.8:1', 'game-missing: 8.8.8.8:2'],
    ],
    ['a word of Dutch', 'even rust nemen op 8.8.8.8:28015', ['game-missing: 8.8.8.8:28015']],
    ['a greeting', 'gm all, join 8.8.8.8:27015', ['game-missing: 8.8.8.8:27015']],
    ['brackets', '[CS2] retakes 8.8.8.8:27015', ['8.8.8.8:27015 cs2']],
    [
      'headings',
      '### Minecraft ✅\n- a.example.com:1\n### Valheim\n- [x] 8.8.8.8:2',
      ['a.example.com:1 minecraft', '8.8.8.8:2 valheim'],
    ],
    [
      'a heading that is not known',
      'Minecraft\na.example.com:1\n\n**Reign of Kings**\n8.8.8.8:2',
      ['a.example.com:1 minecraft', 'game-missing: 8.8.8.8:2'],
    ],
    ['two games in a sentence', 'Rust and Minecraft servers:\n8.8.8.8:1', ['game-missing: 8.8.8.8:1']],
    [
      'a table',
      "These Garry's Mod servers:\n\n| Server | IP | Port |\n|---|---|---|\n| One | 8.8.8.8 | 27083 |",
      ['8.8.8.8:27083 gm'],
    ],
    ['a query port', 'Valheim\nIP: 8.8.8.8:2456\nQuery port: 2457', ['8.8.8.8:2456 valheim 2457']],
    [
      'bbcode',
      '[url=steam://connect/8.8.8.8:1/x][B][ [COLOR=red]CSGO[/COLOR] ][/B][/url] | [url=steam://connect/8.8.8.8:2/x] GMOD[/url]',
      ['8.8.8.8:1 csgo', '8.8.8.8:2 gm'],
    ],
    [
      'HTML',
      '<a href="minecraft://?addExternalServer=One|a.example.com:19132">\nIP：a.example.com <br> 端口：19132',
      ['a.example.com:19132 bedrock'],
    ],
    ['voice', 'IP: 8.8.8.8:1\nTs wenn Probleme auftreten: 8.8.4.4:9987', ['game-missing: 8.8.8.8:1']],
    ['a French label above', 'Adresse IP du serveur\nplay.example.com', ['game-missing: play.example.com']],
    ['web sites', 'see example.com or https://example.com:8080/x, version 1.2.3.4', []],
  ])('is read: %s', (_, text, expected) => expect(inMessage(text)).toEqual(expected));
});
