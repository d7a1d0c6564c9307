import { describe, expect, it } from 'vitest';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import { type ReadRows, readList } from '../../src/server-lists/read-list.ts';
import { lineLabel, rowText, typedOf } from '../../src/server-lists/row.ts';
import { games } from '../support/arbitraries.ts';

const A = '45.83.244.10';
const B = '45.83.244.11';
const X = '84.112.7.41';
const Y = '91.64.22.180';

function read(text: string, defaultGame?: string): ReadRows {
  const list = readList(text, { ...games, defaultGame });
  if (list.kind !== 'rows') throw new Error(`expected rows, got ${list.kind}`);
  return list;
}

const places = ({ rows }: ReadRows) => rows.map((row) => `${lineLabel(row)} ${rowText(typedOf(row))}`);
const candidates = ({ unchosen }: ReadRows) =>
  unchosen.map((each) => `${lineLabel(each)} ${rowText(each.typed)}`);

const LISTS = [
  `Retake #1 - ${A}:27015\nSurf (T1-T3) - ${A}:27016\nDM | de_mirage | 10/12 | ${B}:27015`,
  `1) The Island – ${A}:7777\n2) Genesis: Part 2 – ${A}:7781 (20 slots)`,
  `[EU] Kestrel ➜ ${A}:30120\n[+] ${B}:30120`,
  `Kestrel 2x Monthly\nconnect ${A}:28015\n\nFor players:\nclient.connect ${B}:28015`,
  `surf_ski 24/7\n${A}:27015\nde_dust2\n${B}:27015`,
  `"favorites"\n{\n"name" "Kestrel"\n"address" "${A}:27015"\n}`,
  `name;address;players;map\nKestrel;${A}:27015;12/24;de_mirage`,
  `connect: "steam://connect/${A}:27015",\nclient: "${A}:27015"`,
  `udp/ip  : ${A}:27015  (public ip: ${A})\nsteamid : [A:1:3175318537:5985] (90097701101995017)\nplayers : 12 humans`,
  JSON.stringify({
    response: { servers: [{ addr: `${A}:27015`, steamid: '85568392934927894', players: 3 }] },
  }),
  JSON.stringify([{ name: 'Kestrel', ip: A, port: 27015, maxPlayers: 24, modpack: 'x' }]),
];

const UNSURE = [
  `Kestrel ${X}:51234\nMoorhen ${Y}:60112`,
  `${X}:27005\n${Y}:27005`,
  `server lobby ${A}:25565 check`,
  `- targets: ['${A}:9100', '${B}:9100']`,
  `you can join us at ${A}:27015 whenever you like`,
  `bind = "${A}:25577"\nonline-mode = true`,
  `sv_pure 1\nlogaddress_add ${A}:27500`,
  `"default"\n{\n"host" "${A}"\n"database" "bans"\n"port" "3306"\n}`,
  `Kestrel ${X}\nMoorhen ${Y}`,
  JSON.stringify([{ ip: A, port: 27015, relay: 'x' }]),
];

const PEOPLE = [
  `[20:11:04] [Server thread/INFO]: Starting on ${A}:25566`,
  `2026-11-28T20:11:04 INF ${X}:51234`,
  `Nov 28 20:11:04 host sshd[1]: ${X}`,
  `[connection] incoming connection: ${X}:51234 id: 0`,
  `WARN ${X}:51234 is slow`,
  `${X}:62608/76561190000000001/Kestrel`,
  `"Kestrel<3><[U:1:12345]><>" ${X}:27005`,
  `Kestrel 069a79f4-44e9-4726-a5be-fca90e38aaf5 ${X}`,
  `My IP is ${X}:25565, can you join?`,
  `| Kestrel | ${X}:27015 | 2026-11-28 |`,
  `Meine IP: ${X}:25565`,
  `Kestrel joined from ${X}:51234`,
  `Banned players\n${X}\n${Y}`,
  `Spieler | Adresse | Ping\nKestrel | ${X}:27005 | 44`,
  `id,name,ip,port,joined\n3,Kestrel,${X},51234,yesterday`,
  JSON.stringify({ server: { ip: A, port: 27015 }, clients: [{ name: 'Kestrel', address: `${X}:27005` }] }),
  JSON.stringify([{ SteamID: '76561190000000001', Address: `${X}:62608` }]),
  JSON.stringify({ connections: [{ peer: `${X}:51234` }] }),
];

describe('the list parser', () => {
  it.each(LISTS)('recognises this text as a list: %j', (text) => {
    for (const list of [read(text, 'cs2'), rowsOfMessage(text, games)]) {
      expect(list).toMatchObject({ shape: 'list', unchosen: [], hidden: 0 });
      expect(list.rows.length).toBeGreaterThan(0);
    }
  });

  it.each(UNSURE)('leaves addresses in ambiguous text unselected: %j', (text) => {
    for (const list of [read(text, 'cs2'), rowsOfMessage(text, games)]) {
      expect(list).toMatchObject({ shape: 'unsure', rows: [] });
      expect(list.unchosen.length).toBeGreaterThan(0);
    }
  });

  it.each(PEOPLE)('leaves addresses in text about people unselected: %j', (text) => {
    for (const list of [read(`${text}`, 'cs2'), rowsOfMessage(text, games)]) {
      expect(list).toMatchObject({ shape: 'people', rows: [] });
      expect(list.unchosen.length).toBeGreaterThan(0);
    }
  });

  it('selects the unambiguous lines around an ambiguous one', () => {
    const list = read(`${A}:27015 cs2\nyou can also play on ${B}:27016 today\n${A}:27017 cs2`);
    expect([list.shape, places(list), candidates(list)]).toEqual([
      'unsure',
      [`1 ${A}:27015 cs2`, `3 ${A}:27017 cs2`],
      [`2 ${B}:27016`],
    ]);
  });

  it('leaves all addresses unselected if one might belong to a person', () => {
    const list = read(`Rust: ${A}:28015\nKestrel joined from ${X}:51234`, 'cs2');
    expect(candidates(list)).toEqual([`1 ${A}:28015 rust`, `2 ${X}:51234`]);
    expect(list.unchosen.map(({ words }) => words)).toEqual(['Rust', 'Kestrel joined from']);
  });

  it("never assigns the default game or another address's port to an ambiguous address", () => {
    const list = read(`[{port: 1, ip: ${A}}, {port: 2, ip: ${B}} is down`, 'cs2');
    for (const { typed } of list.unchosen) expect(typed).toMatchObject({ port: '', game: '' });
  });

  it('hides private addresses unless all addresses are private', () => {
    const log = `[20:11:04] 192.168.1.2:1 and 10.0.0.1:2`;
    expect(read(`${log}\n[20:11:05] ${A}:27015`)).toMatchObject({ shape: 'people', hidden: 2, rows: [] });
    expect(read(log)).toMatchObject({
      shape: 'list',
      hidden: 0,
      rows: [{ kind: 'invalid' }, { kind: 'invalid' }],
    });
  });

  it('labels the second server on line 3 as "3b"', () => {
    const text = `Our servers\nRust\n${A}:28015, ${A}:28025\nTeamSpeak: ${B}:9987\n${B}:28015`;
    const list = read(text);
    expect(places(list)).toEqual([`3 ${A}:28015 rust`, `3b ${A}:28025 rust`, `5 ${B}:28015 rust`]);
    expect(list.leftOut).toEqual(['1', '4']);
    const json = JSON.stringify([
      { ip: A, ports: [1, 2], game: 'cs2' },
      { x: 1 },
      { ip: B, port: 3, game: 'cs2' },
    ]);
    expect([places(read(json)), read(json).leftOut]).toEqual([
      [`1 ${A}:1 cs2`, `1b ${A}:2 cs2`, `3 ${B}:3 cs2`],
      ['2'],
    ]);
  });

  it('accepts host names without a port under a game heading', () => {
    const list = read('Valheim servers\nEU – a.example.com\nAS: c.example.com\nmain e.example.com');
    expect(places(list)).toEqual([
      '2 a.example.com valheim',
      '3 c.example.com valheim',
      '4 e.example.com valheim',
    ]);
  });
});

describe('an address label', () => {
  it.each([
    `Game: ${A}:7777\nQuery: ${A}:27016\nRCON: ${A}:27020`,
    `IP: ${A}:7777, Query: ${A}:27016`,
    `IP: ${A}:7777 (EU)\nQuery: ${A}:27016 (EU)`,
    `${A}:7777 (game) / ${A}:27016 (query)`,
    `${A}:7777 (Game Port)\n${A}:27016 (Query Port)\nWeb map: ${A}:8123`,
    `Query IP: ${A}:27016\nServer IP: ${A}:7777\nLicence server: ${B}:9000`,
    `Address: ${A}:7777\nSteam: ${A}:27016\nMaster: ${B}:27950`,
    JSON.stringify({ connect: `${A}:7777`, query: `${A}:27016`, proxy: `${B}:1` }),
    JSON.stringify({ kestrel: `${A}:7777`, query: `${A}:27016` }),
    `game;address;query address\nark;${A}:7777;${A}:27016`,
  ])('identifies the game address and the query address: %j', (text) => {
    expect(read(text, 'ark')).toMatchObject({
      shape: 'list',
      rows: [{ kind: 'ready', submission: { server: A, port: 7777, queryPort: 27_016, game: 'ark' } }],
    });
  });

  it.each([
    [
      'IP: play.example.com\nBedrock Port: 19140',
      ['play.example.com minecraft', 'play.example.com:19140 bedrock'],
    ],
    [
      'IP: play.example.com\nPuerto Bedrock: 19140',
      ['play.example.com minecraft', 'play.example.com:19140 bedrock'],
    ],
    [
      'Java IP: play.example.com\nBedrock IP: play.example.com\nBedrock Port: 19140',
      ['play.example.com minecraft', 'play.example.com:19140 bedrock'],
    ],
    [
      'IP: play.example.com\nJava port: 25570\nBedrock port: 19140',
      ['play.example.com:25570 minecraft', 'play.example.com:19140 bedrock'],
    ],
  ])('assigns a port to the right Minecraft edition: %j', (text, servers) => {
    expect(read(text, 'minecraft').rows.map((row) => rowText(typedOf(row)))).toEqual(servers);
    expect(rowsOfMessage(text, games).rows.map((row) => rowText(typedOf(row)))).toContain(
      'play.example.com:19140 bedrock',
    );
  });

  it('can be "alias" unless its value is a known game', () => {
    const rows = read(
      JSON.stringify([
        { ip: '10.0.40.106', alias: B, port: 27_050 },
        { ip: A, alias: 'play.example.com', port: 27_051 },
        { ip: A, alias: 'cs2', port: 27_052 },
      ]),
    );
    expect(places(rows)).toEqual([`1 ${B} 27050`, `2 ${A} 27051`, `3 ${A}:27052 cs2`]);
  });
});

describe('a password', () => {
  /** A password with spaces, commas and quotes, and what announces it in the bot's languages. */
  const SECRETS = ['QZ JX', 'QZ, JX', 'QZ "JX" x', '"QZ JX"', "QZ'JX, Port=1", 'QZ|JX; x', '"QZ", "JX"'];
  const ANNOUNCED =
    'password|Passwort|mot de passe|contraseña|senha|password|wachtwoord|hasło|heslo|пароль|пароль|şifre|jelszó|parolă|kata sandi|mật khẩu|パスワード|비밀번호|密码|密碼|รหัสผ่าน|lösenord';
  const forms: readonly ((word: string, secret: string) => string)[] = [
    (word, secret) => `${A}:27015 ${word}: ${secret}`,
    (word, secret) => `Kestrel joined ${A}:27015 ${word}: ${secret}`,
    (word, secret) => `you can play on ${A}:27015 today, ${word} ${secret}`,
    (word, secret) => `./server -ip ${A} -port 27015 -${word} ${secret}`,
    (word, secret) => `name,ip,port,${word}\nKestrel,${A},27015,${secret}`,
    (word, secret) => JSON.stringify([{ user: 'Kestrel', ip: A, port: 1, [word]: secret }]),
  ];
  it.each(ANNOUNCED.split('|'))('never appears in the parsed list: %s', (word) => {
    for (const write of forms) {
      for (const secret of SECRETS) {
        const text = write(word, secret);
        expect(JSON.stringify([read(text), rowsOfMessage(text, games)]), text).not.toMatch(/QZ|JX/u);
      }
    }
  });

  it.each([
    `OptionSettings=(ServerName="Kestrel",AdminPassword="QZ, JX",ServerPassword="",PublicPort=8311,PublicIP="${A}",RCONPort=1)`,
    `./server -name Kestrel -password "QZ JX" -ip ${A} -port 8311`,
  ])('ends at the closing quote in settings and commands: %j', (text) => {
    const list = read(text);
    expect([...places(list), ...candidates(list)]).toEqual([expect.stringContaining(`1 ${A}:8311`)]);
    expect(JSON.stringify(list)).not.toMatch(/QZ|JX/u);
  });
});
