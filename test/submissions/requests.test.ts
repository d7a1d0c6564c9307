import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ListingStandIn, startListing } from '../../sandbox/listing/stand-in.ts';
import { createListingApi } from '../../src/listing/client.ts';
import {
  KNOWN_ERRORS,
  type ListingApi,
  type Outcome,
  type ServerSubmission,
} from '../../src/listing/contract.ts';
import { Secret } from '../../src/secret.ts';
import { readList } from '../../src/server-lists/read-list.ts';
import { submitAll } from '../../src/submissions/requests.ts';
import { games, submission } from './arbitraries.ts';

const server = (n: number, game = 'cs2'): ServerSubmission => ({
  server: `s${n}.example.com`,
  port: 27_015,
  game,
});
const servers = (count: number) => Array.from({ length: count }, (_, n) => server(n));
const accepted: Outcome = { kind: 'accepted', message: 'Servers have been added for review.' };
const gameInvalid: Outcome = {
  kind: 'rejected',
  message: KNOWN_ERRORS.gameInvalid,
  known: 'gameInvalid',
};
const silence: Outcome = { kind: 'unknown', reason: 'timeout', detail: '' };
const down: Outcome = { kind: 'not-sent', reason: 'refused', detail: '' };

/** Answers one request after the other, and notes what was in each. */
function service(answer: (request: readonly ServerSubmission[], count: number) => Outcome) {
  const requests: (readonly ServerSubmission[])[] = [];
  const send = async (request: readonly ServerSubmission[]) => {
    requests.push(request);
    return answer(request, requests.length);
  };
  return { send, requests, sizes: () => requests.map(({ length }) => length) };
}

describe('submitting many servers', () => {
  it('sends a hundred a request, in order, and tells how far it is', async () => {
    const { send, requests, sizes } = service(() => accepted);
    const known: number[] = [];
    const all = servers(250);
    const outcomes = await submitAll(all, { send, onOutcomes: ({ size }) => void known.push(size) });
    expect(sizes()).toEqual([100, 100, 50]);
    expect(requests.flat()).toEqual(all);
    expect(known).toEqual([100, 200, 250]);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
  });

  it('finds the one server that the service does not want, and submits the others', async () => {
    const messages = [KNOWN_ERRORS.serverMissing, KNOWN_ERRORS.gameMissing, 'Invalid port provided.'];
    for (const message of messages) {
      const { send, sizes } = service((request) =>
        request.some(({ server }) => server === 's42.example.com') ? { kind: 'rejected', message } : accepted,
      );
      const outcomes = await submitAll(servers(100), { send });
      expect(outcomes[42]).toEqual({ kind: 'rejected', message });
      expect(outcomes.filter(({ kind }) => kind === 'accepted').length).toBe(99);
      expect(sizes().length).toBeLessThanOrEqual(1 + 2 * 7);
    }
  });

  it('asks about a game that is not known only until it is clear which one it is', async () => {
    const all = servers(1000).map((each, n) => (n % 3 === 0 ? { ...each, game: 'gone' } : each));
    const { send, sizes } = service((request) =>
      request.some(({ game }) => game === 'gone') ? gameInvalid : accepted,
    );
    const outcomes = await submitAll(all, { send });
    for (const [n, { kind }] of outcomes.entries()) expect(kind).toBe(n % 3 === 0 ? 'rejected' : 'accepted');
    expect(sizes().length).toBeLessThanOrEqual(10 + 14);
  });

  it('does not halve a request of which every server has the unknown game', async () => {
    const { send, sizes } = service(() => gameInvalid);
    const outcomes = await submitAll(servers(300), { send });
    expect(outcomes.every(({ kind }) => kind === 'rejected')).toBe(true);
    expect(sizes()).toEqual([100]);
  });

  it('does not ask a service that rejects everything for every single server', async () => {
    const { send, sizes } = service(() => ({ kind: 'rejected', message: 'Your account is suspended.' }));
    const outcomes = await submitAll(servers(1000), { send });
    expect(outcomes.every(({ kind }) => kind === 'rejected')).toBe(true);
    expect(sizes().length).toBeLessThan(500);
  });

  it('stops when the key is not valid (any more)', async () => {
    const { send, sizes } = service((_, count) =>
      count === 2 ? { kind: 'rejected', message: KNOWN_ERRORS.invalidKey, known: 'invalidKey' } : accepted,
    );
    const outcomes = await submitAll(servers(400), { send });
    expect(sizes()).toEqual([100, 100]);
    expect(outcomes[99]?.kind).toBe('accepted');
    expect(outcomes[100]).toEqual({
      kind: 'rejected',
      message: KNOWN_ERRORS.invalidKey,
      known: 'invalidKey',
    });
    expect(outcomes[200]).toEqual({ kind: 'not-sent', reason: 'key' });
  });

  it('relays an empty list, which no server can be the reason of, with all that were in the request', async () => {
    const { send, sizes } = service(() => ({
      kind: 'rejected',
      message: KNOWN_ERRORS.emptyList,
      known: 'emptyList',
    }));
    const outcomes = await submitAll(servers(3), { send });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(sizes()).toEqual([3]);
  });

  it('goes on after one request without an answer, and stops after two', async () => {
    const { send, sizes } = service((_, count) => (count === 2 ? silence : count > 3 ? down : accepted));
    const outcomes = await submitAll(servers(700), { send });
    expect(sizes()).toEqual([100, 100, 100, 100, 100]);
    const kinds = [0, 100, 200, 300, 400, 500, 600].map((place) => outcomes[place]);
    expect(kinds).toEqual([
      accepted,
      silence,
      accepted,
      down,
      down,
      { kind: 'not-sent', reason: 'service' },
      { kind: 'not-sent', reason: 'service' },
    ]);
  });

  it('stops when told to, and never in the middle of a request', async () => {
    const { send, sizes } = service(() => accepted);
    const outcomes = await submitAll(servers(300), {
      send,
      halt: () => (sizes().length === 2 ? 'deadline' : undefined),
    });
    expect(outcomes.slice(0, 200).every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(outcomes.slice(200)).toEqual(Array(100).fill({ kind: 'not-sent', reason: 'deadline' }));
  });

  it('goes on where it stopped', async () => {
    const { send, requests } = service(() => accepted);
    const all = servers(250);
    const known = new Map([...all.keys()].slice(0, 120).map((place) => [place, accepted]));
    const outcomes = await submitAll(all, { send, known });
    expect(requests.flat()).toEqual(all.slice(120));
    expect(outcomes).toEqual(Array(250).fill(accepted));
  });

  it('ends when a request cannot be begun', async () => {
    const outcomes = await submitAll(servers(150), { send: async () => 'bot' });
    expect(outcomes).toEqual(Array(150).fill({ kind: 'not-sent', reason: 'bot' }));
  });

  it('sends nothing again of a request that was accepted or may have been', async () => {
    const answers = fc.infiniteStream(
      fc.constantFrom<Outcome>(accepted, silence, down, gameInvalid, {
        kind: 'rejected',
        message: 'No.',
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        answers,
        fc.array(fc.constantFrom('cs2', 'css', 'rust'), { maxLength: 1000 }),
        async (stream, games) => {
          const taken = new Set<string>();
          const { send, requests } = service((request) => {
            for (const each of request) expect(taken).not.toContain(each.server);
            const outcome = stream.next().value;
            if (outcome.kind === 'accepted' || outcome.kind === 'unknown')
              for (const each of request) taken.add(each.server);
            return outcome;
          });
          const all = games.map((game, n) => server(n, game));
          const outcomes = await submitAll(all, { send });
          expect(outcomes.length).toBe(all.length);
          for (const request of requests) expect(request.length).toBeGreaterThan(0);
          for (const [n, { kind }] of outcomes.entries())
            expect(taken.has(`s${n}.example.com`)).toBe(kind === 'accepted' || kind === 'unknown');
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('over the wire, read by the listing service', () => {
  const key = new Secret('sandbox-key');
  let standIn: ListingStandIn;
  let listing: ListingApi;
  beforeAll(async () => {
    standIn = await startListing();
    listing = createListingApi({ baseUrl: standIn.url, timeoutMs: 5000, arrayFormat: 'brackets' });
  });
  beforeEach(() => standIn.behave({ kind: 'ok' }));
  afterAll(async () => {
    await listing.close();
    await standIn.close();
  });
  const send = (request: readonly ServerSubmission[]) => listing.add(request, key);
  const held = ({ server, port, queryPort, game }: ServerSubmission) => ({
    server,
    port,
    ...(queryPort !== undefined && { query_port: queryPort }),
    game,
  });

  const lineOf = ({ server, port, queryPort, game }: ServerSubmission) =>
    [server, port, game, queryPort ?? ''].join(',');

  const ROWS = { minLength: 1, maxLength: 1000, size: 'max' } as const;
  const valid = submission.map(
    ({ server, port, queryPort }): ServerSubmission => ({
      server,
      port,
      game: 'cs2',
      ...(queryPort !== undefined && queryPort !== port && { queryPort }),
    }),
  );

  it('1 to 1,000 servers arrive once each, in order, at most a hundred a request', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(valid, ROWS), async (all) => {
        const [before, requests] = [standIn.submitted.length, standIn.requests.length];
        const outcomes = await submitAll(all, { send });
        expect(standIn.submitted.slice(before)).toEqual(all.map(held));
        const sizes = standIn.requests.slice(requests).map((request) => request.servers.length);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
        expect(sizes.length).toBe(Math.ceil(all.length / 100));
        expect(outcomes.every(({ kind }) => kind === 'accepted')).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it('of a text of 1 to 1,000 lines, exactly the valid ones arrive, once each and in order', async () => {
    const junk = fc.constantFrom(
      '10.0.0.1:27015 cs2',
      'a.example.com:70000 cs2',
      'hello there',
      '8.8.8.8:1 chess',
    );
    const line = fc.oneof(
      { weight: 8, arbitrary: valid.map((server) => ({ server, text: lineOf(server) })) },
      { weight: 1, arbitrary: junk.map((text) => ({ server: undefined, text })) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, ROWS), async (lines) => {
        const list = await readList(lines.map(({ text }) => text).join('\n'), games);
        const rows = list.kind === 'rows' ? list.rows : [];
        const before = standIn.submitted.length;
        await submitAll(
          rows.flatMap((row) => (row.ok ? [row.submission] : [])),
          { send },
        );
        const wanted = lines.flatMap(({ server }) => (server ? [held(server)] : []));
        const once = [...new Map(wanted.map((each) => [JSON.stringify(each), each])).values()];
        expect(standIn.submitted.slice(before)).toEqual(once);
      }),
      { numRuns: 15 },
    );
  });

  it('those with a game that the service does not know are found, and the others arrive all the same', async () => {
    const some = fc.tuple(valid, fc.option(fc.constantFrom('gone', 'lost'), { freq: 20, nil: undefined }));
    await fc.assert(
      fc.asyncProperty(fc.array(some, ROWS), async (pairs) => {
        const all = pairs.map(([each, game]) => (game === undefined ? each : { ...each, game }));
        const before = standIn.submitted.length;
        const outcomes = await submitAll(all, { send });
        const good = all.filter(({ game }) => game === 'cs2');
        expect(standIn.submitted.slice(before)).toEqual(good.map(held));
        expect(outcomes.map(({ kind }) => kind)).toEqual(
          all.map(({ game }) => (game === 'cs2' ? 'accepted' : 'rejected')),
        );
      }),
      { numRuns: 15 },
    );
  });
});
