import { describe, expect, it, onTestFinished } from 'vitest';
import { startPublicRecords } from '../../sandbox/game-servers.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import { createSteam } from '../../src/game-servers/steam.ts';
import { recorder } from '../support/machine.ts';

const MINUTE = 60_000;
const RUST = { port: 28_015, queryPort: 28_017, appId: 252_490 };
const FAILING: Mode = { kind: 'status', status: 503 };

/** Creates a client for the Steam stand-in, with a clock that only the test moves. */
async function open() {
  const records = await startPublicRecords();
  const clock = { now: 0 };
  const logger = recorder();
  const outcomes: string[] = [];
  const steam = createSteam({
    steamApiUrl: records.steamUrl,
    logger,
    now: () => clock.now,
    onLookup: (what) => outcomes.push(what),
  });
  onTestFinished(async () => {
    await steam.close();
    await records.close();
  });
  let count = 0;
  /** Looks up a new address. */
  const askAnother = () => steam.serversAt(`93.184.216.${++count}`);
  return { records, clock, logger, outcomes, steam, askAnother };
}

const json = (body: unknown): Mode => ({ kind: 'json', status: 200, body });
const listing = (servers: unknown) => json({ response: { success: true, servers } });

describe('the Steam client', () => {
  it('requests the game servers at each address only once', async () => {
    const { records, steam, outcomes } = await open();
    records.list('93.184.216.34', [RUST]);
    const found = await Promise.all([steam.serversAt('93.184.216.34'), steam.serversAt('93.184.216.34')]);
    const server = { gamePort: 28_015, queryPort: 28_017, appId: 252_490 };
    expect([...found, await steam.serversAt('93.184.216.34')]).toEqual([[server], [server], [server]]);
    expect(await steam.serversAt('93.184.216.35')).toEqual([]);
    expect(records.askedSteam).toEqual(['93.184.216.34', '93.184.216.35']);
    expect(outcomes).toEqual(['asked', 'asked']);
  });

  it.each<[string, Mode]>([
    ['an error', FAILING],
    ['a web page', { kind: 'html' }],
    ['nothing', { kind: 'empty' }],
    ['half of the JSON', { kind: 'truncated' }],
    ['a closed connection', { kind: 'reset' }],
    ['1 GiB', { kind: 'huge' }],
    ['a gzip bomb', { kind: 'gzipBomb' }],
    ['a redirect', { kind: 'redirect', status: 302, to: 'http://127.0.0.1:9/' }],
    ['other JSON', json(['response'])],
    ['wrong types', json({ response: { servers: 'none' } })],
    ['too many game servers', listing(Array(1_001).fill({}))],
    ['more than 256 KiB', listing([{ addr: 'x'.repeat(256 * 1024) }])],
    ['deep JSON', { kind: 'text', status: 200, body: '['.repeat(100_000) }],
  ])('returns no servers if Steam responds with %s', async (_, mode) => {
    const { records, outcomes, askAnother } = await open();
    records.behaveAsSteam(mode);
    expect(await askAnother()).toEqual([]);
    expect(outcomes).toEqual(['asked', 'failed']);
  });

  it('returns only entries with two ports and an app id', async () => {
    const { records, askAnother } = await open();
    const good = { addr: '93.184.216.1:27016', gameport: 2_302, appid: 221_100 };
    const bad = [
      null,
      'text',
      { ...good, gameport: 0 },
      { ...good, gameport: '2302' },
      { ...good, gameport: 65_536 },
      { ...good, addr: 'no port' },
      { ...good, addr: ':0' },
      { ...good, addr: { toString: 1 } },
      { ...good, appid: 0 },
      JSON.parse('{"__proto__":{"addr":":1","gameport":1,"appid":1}}'),
    ];
    records.behaveAsSteam(listing([...bad, { ...good, name: '@everyone' }]));
    expect(await askAnother()).toEqual([{ queryPort: 27_016, gamePort: 2_302, appId: 221_100 }]);
  });

  it.each([429, 403])('stops sending requests for an hour after a %i response', async (status) => {
    const { records, clock, logger, askAnother } = await open();
    records.behaveAsSteam({ kind: 'status', status });
    await Promise.all([askAnother(), askAnother(), askAnother()]);
    records.behaveAsSteam({ kind: 'ok' });
    clock.now += 60 * MINUTE - 1;
    await askAnother();
    expect(records.askedSteam).toHaveLength(3);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'could not ask Steam for game servers; will pause the server lookup',
    ]);
    clock.now += 1;
    await askAnother();
    expect(records.askedSteam).toHaveLength(4);
  });

  it('doubles the pause after each consecutive failure, up to an hour', async () => {
    const { records, clock, logger, askAnother } = await open();
    records.behaveAsSteam(FAILING);
    await askAnother();
    await askAnother();
    records.behaveAsSteam({ kind: 'ok' });
    await askAnother();
    records.behaveAsSteam(FAILING);
    for (let count = 0; count < 5; count += 1) await askAnother();
    expect(records.askedSteam).toHaveLength(6);
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const before = records.askedSteam.length;
      clock.now += minutes * MINUTE - 1;
      await askAnother();
      expect(records.askedSteam).toHaveLength(before);
      clock.now += 1;
      await askAnother();
      expect(records.askedSteam).toHaveLength(before + 1);
    }
    expect(
      logger.lines.map(
        ({ details }) => Number(Object.entries(details).find(([name]) => name === 'pauseMs')?.[1]) / MINUTE,
      ),
    ).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('sends up to 60 requests immediately, and then one per second', async () => {
    const { records, clock, outcomes, askAnother } = await open();
    await Promise.all(Array.from({ length: 70 }, askAnother));
    expect(records.askedSteam).toHaveLength(60);
    clock.now += 2_000;
    await Promise.all([askAnother(), askAnother(), askAnother()]);
    expect(records.askedSteam).toHaveLength(62);
    clock.now += 24 * 60 * MINUTE;
    await Promise.all(Array.from({ length: 70 }, askAnother));
    expect(records.askedSteam).toHaveLength(122);
    expect(outcomes).toHaveLength(122);
  });

  it('treats a missing response as a failure', async () => {
    const { records, outcomes, askAnother } = await open();
    records.behaveAsSteam({ kind: 'hang' });
    expect(await askAnother()).toEqual([]);
    expect(outcomes).toEqual(['asked', 'failed']);
  });
});
