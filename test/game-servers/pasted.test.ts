import { describe, expect, it, onTestFinished } from 'vitest';
import { startPublicRecords } from '../../sandbox/game-servers.ts';
import { createServerLookup } from '../../src/game-servers/server-lookup.ts';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import { finishedRow, type ReadRows, readList } from '../../src/server-lists/read-list.ts';
import { isReady, type Row } from '../../src/server-lists/row.ts';
import { games } from '../support/arbitraries.ts';
import { recorder } from '../support/machine.ts';

const APP_IDS = {
  rust: 252_490,
  ark: 346_110,
  dayz: 221_100,
  arma3: 107_410,
  squad: 393_380,
  '7dtd': 251_570,
  tf2: 440,
};

interface Pasted {
  readonly text: string;
  /** The game for lines that don't name a game. */
  readonly game?: string;
  /** The servers in Steam's list, as `host:port game query port`. */
  readonly servers: readonly string[];
}

/** Lists as people paste them. The hosts are invented. */
const LISTS: readonly Pasted[] = [
  {
    text: 'Ark - Survival Evolved (Aberration):  93.184.1.7:7777    Ark - Survival Evolved (Ragnarok):  93.184.1.7:7779    Rust PVP Server: 93.184.1.7:28015    Rust Beast Server: 93.184.1.7:28025    Teamspeak 3: 93.184.1.7',
    servers: [
      '93.184.1.7:7777 ark 27015',
      '93.184.1.7:7779 ark 27016',
      '93.184.1.7:28015 rust 28017',
      '93.184.1.7:28025 rust 28027',
    ],
  },
  {
    text: 'ARK.EXAMPLE.EU:7777 – PVE (Aberration)\nARK.EXAMPLE.EU:7779 – PVE (Center)\nARK.EXAMPLE.EU:7781 – PVE (Extinction)',
    game: 'ark',
    servers: [
      'ark.example.eu:7777 ark 27017',
      'ark.example.eu:7779 ark 27014',
      'ark.example.eu:7781 ark 27016',
    ],
  },
  {
    text: "  addr: '93.184.1.56:28017',\n  gameport: 28015,\n  name: 'Example |US Biweekly|',\n  appid: 252490,",
    servers: ['93.184.1.56:28015 rust 28017'],
  },
  {
    text: '93.184.2.1:27015\n93.184.2.1:28015\n93.184.2.2:2302\n93.184.2.3:26900',
    servers: [
      '93.184.2.1:27015 tf2 27015',
      '93.184.2.1:28015 rust 28017',
      '93.184.2.2:2302 dayz 27016',
      '93.184.2.3:26900 7dtd 26902',
    ],
  },
  {
    text: '## **ArmA 3 Server Connection Information**\n\n| Hostname | Example                |\n| -------- | ---------------------- |\n| IP       | `93.184.2.50`          |\n| Port     | `2303`                 |\n| Password | Ask a member           |',
    servers: ['93.184.2.50:2303 arma3 2304'],
  },
];
const MESSAGES: readonly Pasted[] = [
  {
    text: "array(\n  'id' => 'DayZ # 1',\n  'type' => 'dayz',\n  'connect_host' => '93.184.3.66:2402',\n),\narray(\n  'id' => 'DayZ # 2',\n  'type' => 'dayz',\n  'connect_host' => '93.184.3.34:2302',\n)",
    servers: ['93.184.3.66:2402 dayz 27020', '93.184.3.34:2302 dayz 27016'],
  },
  {
    text: 'ARK für kleine Astronauten\n\nhttps://ark-servers.example/server/93152/vote/\n\nIP:93.184.4.202:28415\nRegeln:\n\n-Pro Tribe 2 Basen erlaubt.',
    servers: ['93.184.4.202:28415 ark 28416'],
  },
  {
    text: 'Confirme **UDP 28017** aberta no firewall.\n\nNo Rust, abra o console (F1):\n\n```\nclient.connect 93.184.5.245:28015\n```',
    servers: ['93.184.5.245:28015 rust 28017'],
  },
  {
    text: '    name: "Example.net | US | Vanilla+ Monthly",\n    connect: "steam://connect/93.184.6.18:28015",\n    client: "93.184.6.18:28015"',
    servers: ['93.184.6.18:28015 rust 28017'],
  },
  {
    text: "says game port is 7781\n\n```javascript\nGamedig.query({\n  type: 'arkse',\n  host: '93.184.7.201',\n  port: \"7781\"\n})\n```",
    servers: ['93.184.7.201:7781 ark 27031'],
  },
  {
    text: '### Rust ✅ 2/3 WORK\n- [x] 93.184.8.1:28017 ✅ WORKS\n- [x] 93.184.8.2:28014 ✅ WORKS \n\n### ArmA 3 ❓ WORKS BUT MISDETECTED\n- [x] 93.184.8.3:2302 ❓ WORKS (detected as "source", port 2302→2303)\n\n### Squad ❌ ALL FAILED (Should work - Unreal Engine with Source query)\n- [x] 93.184.8.4:7800 ❌ FAILED\n\n### 7 Days to Die ✅ 1/1 WORKS! \n- [x] 93.184.8.5:27292 ✅ WORKS! (correctly detected, port 27292→27290)\n- [ ] 93.184.8.6:26920',
    servers: [
      '93.184.8.1:28017 rust 28018',
      '93.184.8.2:28014 rust 28016',
      '93.184.8.3:2302 arma3 2303',
      '93.184.8.4:7800 squad 27165',
      '93.184.8.5:27292 7dtd 27293',
      '93.184.8.6:26920 7dtd 26921',
    ],
  },
];

function rowsOf({ text, game }: Pasted): readonly Row[] {
  const list = readList(text, { ...games, defaultGame: game });
  return list.kind === 'rows' ? chosenOf(list) : [];
}

/** Returns the rows after a member has chosen all addresses. */
const chosenOf = ({ rows, unchosen }: ReadRows): readonly Row[] =>
  rows.concat(unchosen.map((candidate) => finishedRow(candidate, games)));

describe('the server lookup for pasted lists', () => {
  it.each([
    ...LISTS.map((pasted) => ({ ...pasted, rows: rowsOf(pasted) })),
    ...MESSAGES.map((pasted) => ({ ...pasted, rows: chosenOf(rowsOfMessage(pasted.text, games)) })),
  ])('fills in the missing values for $servers', async ({ servers, rows }) => {
    const records = await startPublicRecords();
    const lookup = createServerLookup({
      steamApiUrl: records.steamUrl,
      nameServers: [records.nameServer],
      games,
      logger: recorder(),
    });
    onTestFinished(async () => {
      await lookup.stop();
      await records.close();
    });
    records.addName('ark.example.eu', { addresses: ['93.184.7.1'] });
    const listed = Map.groupBy(
      servers.map((server) => {
        const [, host = '', port, game = '', query] = /^(.*):(\d+) (\S+) (\d+)$/u.exec(server) ?? [];
        const appId = APP_IDS[game as keyof typeof APP_IDS];
        return { host, port: Number(port), queryPort: Number(query), appId };
      }),
      ({ host }) => (host === 'ark.example.eu' ? '93.184.7.1' : host),
    );
    for (const [address, each] of listed) records.list(address, each);
    const completed = (await lookup.complete(rows))
      .filter(isReady)
      .map(
        ({ submission: { server, port, game, queryPort = port } }) =>
          `${server}:${port} ${game} ${queryPort}`,
      );
    expect(completed).toEqual(servers);
  });
});
