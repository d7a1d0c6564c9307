import { describe, expect, it, onTestFinished } from 'vitest';
import { startPublicRecords } from '../../sandbox/game-servers.ts';
import { createServerLookup } from '../../src/game-servers/server-lookup.ts';
import { readList } from '../../src/server-lists/read-list.ts';
import type { Row } from '../../src/server-lists/row.ts';
import { rowText, typedOf } from '../../src/server-lists/row.ts';
import { games } from '../support/arbitraries.ts';
import { recorder } from '../support/machine.ts';

const ADDRESS = '93.184.216.34';

async function open() {
  const records = await startPublicRecords();
  const found: string[] = [];
  const lookup = createServerLookup({
    steamApiUrl: records.steamUrl,
    nameServers: [records.nameServer],
    logger: recorder(),
    games,
    onLookup: (each) => found.push(each),
  });
  onTestFinished(async () => {
    await lookup.stop();
    await records.close();
  });
  records.list(ADDRESS, [
    { port: 28_015, queryPort: 28_017, appId: 252_490 },
    { port: 27_015, queryPort: 27_015, appId: 730 },
    { port: 2_302, queryPort: 27_016, appId: 221_100 },
    { port: 7_777, queryPort: 27_020, appId: 346_110 },
    { port: 7_777, queryPort: 27_021, appId: 346_110 },
    { port: 7_778, queryPort: 27_022, appId: 999_999_999 },
    { port: 7_779, queryPort: 27_023, appId: 730 },
  ]);
  records.addName('play.example.com', {
    addresses: [ADDRESS],
    minecraft: { target: 'play.example.com', port: 25_577 },
  });
  records.addName('two.example.com', { addresses: [ADDRESS, '93.184.216.35'] });
  return { records, lookup, found };
}

function rowsOf(text: string): readonly Row[] {
  const list = readList(text, games);
  if (list.kind !== 'rows') throw new Error('expected rows');
  return list.rows;
}

const inWords = (row: Row | undefined): string =>
  [rowText(typedOf(row)), row?.kind === 'ready' ? '' : row?.kind, ...(row?.found ?? [])]
    .filter(Boolean)
    .join(' ');

describe('the server lookup', () => {
  it.each([
    ['93.184.216.34:28015 rust', '93.184.216.34:28015 rust 28017 queryPort'],
    ['play.example.com:28015 rust', 'play.example.com:28015 rust 28017 queryPort'],
    ['93.184.216.34:28015', '93.184.216.34:28015 rust 28017 game queryPort'],
    ['server,query_port\n93.184.216.34:28015,28020', '93.184.216.34:28015 rust 28020 game'],
    ['93.184.216.34:2302 DayZ', '93.184.216.34:2302 dayz 27016 queryPort'],
    ['play.example.com minecraft', 'play.example.com:25577 minecraft port'],
    // If the query port equals the port, the bot doesn't add it.
    ['93.184.216.34:27015 cs2', '93.184.216.34:27015 cs2'],
    ['93.184.216.34:28017 rust', '93.184.216.34:28017 rust isQueryPort'],
    // The bot keeps values that the member has typed.
    ['93.184.216.34,28015,rust,28020', '93.184.216.34:28015 rust 28020'],
    ['93.184.216.34,28015,rust,28015', '93.184.216.34 28015 rust 28015'],
    // For these lines, Steam lists another game, an unknown game, two games with one app id, or two game servers on one
    // port.
    ['93.184.216.34:28015 dayz', '93.184.216.34:28015 dayz'],
    ['93.184.216.34:7778', '93.184.216.34:7778 invalid'],
    ['93.184.216.34:7779', '93.184.216.34:7779 invalid'],
    ['93.184.216.34:7779 csgo', '93.184.216.34:7779 csgo 27023 queryPort'],
    ['93.184.216.34:7777 ark', '93.184.216.34:7777 ark'],
    // Steam doesn't list these servers.
    ['93.184.216.34:1 rust', '93.184.216.34:1 rust'],
    ['93.184.216.99:28015 rust', '93.184.216.99:28015 rust'],
    ['two.example.com:28015 rust', 'two.example.com:28015 rust'],
    ['absent.example.com:28015 rust', 'absent.example.com:28015 rust'],
    ['absent.example.com minecraft', 'absent.example.com minecraft invalid'],
    ['93.184.216.34 minecraft', '93.184.216.34 minecraft invalid'],
    ['93.184.216.34 rust', '93.184.216.34 rust invalid'],
  ])('fills in all available values for %s', async (text, completed) => {
    const { lookup } = await open();
    expect((await lookup.complete(rowsOf(text))).map(inWords)).toEqual([completed]);
  });

  it('fills in only the empty fields of a form', async () => {
    const { lookup, found } = await open();
    const [row] = rowsOf(`${ADDRESS}:28015 rust`);
    if (row?.kind !== 'ready') throw new Error('expected a ready row');
    const typed = { server: ADDRESS, port: '28015', queryPort: '', game: 'Rust' };
    const [completed] = await lookup.complete([{ ...row, typed }]);
    expect(completed).toMatchObject({ typed: { ...typed, queryPort: '28017' } });
    expect(found).toEqual(['asked', 'queryPort']);
  });

  it("doesn't look up the same line twice", async () => {
    const { lookup, found } = await open();
    const rows = await lookup.complete(rowsOf(`${ADDRESS}:28015 rust\n${ADDRESS}:28017 rust`));
    expect(await lookup.complete(rows)).toBe(rows);
    expect(found).toEqual(['asked', 'queryPort', 'isQueryPort']);
  });

  it('detects duplicate lines after filling in missing values', async () => {
    const { lookup } = await open();
    const rows = await lookup.complete(rowsOf(`${ADDRESS}:28015 rust\n${ADDRESS},28015,rust,28017`));
    expect(rows.map(({ kind }) => kind)).toEqual(['ready', 'repeated']);
  });

  it('looks up at most 50 hosts per list, each only once', async () => {
    const { lookup, records } = await open();
    const lines = Array.from({ length: 200 }, (_, index) => `93.184.217.${index % 100}:${1 + index} rust`);
    await lookup.complete(rowsOf(lines.join('\n')));
    expect(new Set(records.askedSteam).size).toBe(50);
    expect(records.askedSteam).toHaveLength(50);
  });

  it('skips lines that are complete, invalid or unconfirmed', async () => {
    const { lookup, records } = await open();
    const unconfirmed = { kind: 'unknown', reason: 'timeout' } as const;
    const rows = [
      ...rowsOf(`${ADDRESS}:7777 samp\n${ADDRESS}:25565 minecraft\n10.0.0.1:28015 rust\nrust`),
      ...rowsOf(`${ADDRESS}:28015 rust`).map((row) => ({ ...row, unconfirmed })),
    ];
    expect(await lookup.complete(rows)).toBe(rows);
    expect([...records.askedSteam, ...records.askedNames]).toEqual([]);
  });

  it('returns the values found so far if some requests hang', async () => {
    const { lookup, records } = await open();
    records.list('93.184.216.35', [{ port: 1, queryPort: 2, appId: 252_490 }]);
    await lookup.complete(rowsOf(`${ADDRESS}:28015 rust`));
    records.behaveAsSteam({ kind: 'hang' });
    records.behaveAsNameServer('silent');
    const text = `${ADDRESS}:28015 rust\n93.184.216.35:1 rust\nslow.example.com minecraft`;
    expect((await lookup.complete(rowsOf(text))).map(inWords)).toEqual([
      '93.184.216.34:28015 rust 28017 queryPort',
      '93.184.216.35:1 rust',
      'slow.example.com minecraft invalid',
    ]);
  });
});
