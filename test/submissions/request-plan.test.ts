import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KNOWN_ERRORS, type KnownError, type Outcome } from '../../src/listing/contract.ts';
import { createRequestPlan } from '../../src/submissions/request-plan.ts';

const ACCEPTED: Outcome = { kind: 'accepted', message: 'Yes.' };
const SILENCE: Outcome = { kind: 'unknown', reason: 'timeout' };
const UNREACHED: Outcome = { kind: 'not-sent', reason: 'unreachable' };
const rejected = (known: KnownError): Outcome => ({ kind: 'rejected', message: KNOWN_ERRORS[known], known });
const games = (count: number, game = 'cs2') => Array.from({ length: count }, () => game);

/** Carries out a plan for servers of these games. Returns the plan's requests and each server's outcome. */
function carryOut(
  gamesOfServers: readonly string[],
  answer: (request: readonly number[], count: number) => Outcome,
) {
  const plan = createRequestPlan(gamesOfServers.map((game) => ({ game })));
  const requests: (readonly number[])[] = [];
  const outcomes: Outcome[] = [];
  for (let request = plan.next(); request; request = plan.next()) {
    requests.push(request);
    for (const { indices, outcome } of plan.recordOutcome(answer(request, requests.length))) {
      for (const index of indices) outcomes[index] = outcome;
    }
  }
  return { requests, outcomes, sizes: requests.map(({ length }) => length) };
}

describe("a submission's requests", () => {
  it('contain up to 100 servers each, in order', () => {
    const { requests, sizes, outcomes } = carryOut(games(250), () => ACCEPTED);
    expect(sizes).toEqual([100, 100, 50]);
    expect(requests.flat()).toEqual([...games(250).keys()]);
    expect(outcomes).toEqual(Array(250).fill(ACCEPTED));
  });

  it('stay the same until they get a response', () => {
    const plan = createRequestPlan([{ game: 'cs2' }]);
    expect(plan.next()).toEqual(plan.next());
    plan.recordOutcome(ACCEPTED);
    expect(plan.next()).toBeUndefined();
  });

  it.each<Outcome>([
    rejected('serverMissing'),
    { kind: 'rejected', message: 'Invalid port provided.' },
  ])('are repeatedly split in half until the rejected server is found: $message', (rejection) => {
    const { sizes, outcomes } = carryOut(games(100), (request) =>
      request.includes(42) ? rejection : ACCEPTED,
    );
    expect(outcomes[42]).toEqual(rejection);
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(99);
    expect(sizes.slice(0, 3)).toEqual([100, 50, 25]);
    expect(sizes.length).toBeLessThanOrEqual(1 + 2 * 7);
  });

  it('are no longer split once every unknown game is found', () => {
    const all = games(1000).map((game, n) => (n % 3 === 0 ? 'gone' : game));
    const { sizes, outcomes } = carryOut(all, (request) =>
      request.some((index) => all[index] === 'gone') ? rejected('gameInvalid') : ACCEPTED,
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      all.map((game) => (game === 'gone' ? 'rejected' : 'accepted')),
    );
    expect(sizes.length).toBeLessThanOrEqual(10 + 14);
  });

  it.each([
    { known: 'gameInvalid', others: 'rejected' },
    { known: 'invalidKey', others: 'not-sent' },
  ] as const)('stop after the error $known (remaining servers: $others)', ({ known, others }) => {
    const { sizes, outcomes } = carryOut(games(300), () => rejected(known));
    expect(sizes).toEqual([100]);
    expect(outcomes[99]).toEqual(rejected(known));
    expect(new Set(outcomes.slice(100).map(({ kind }) => kind))).toEqual(new Set([others]));
    if (known === 'invalidKey') expect(outcomes[100]).toEqual({ kind: 'not-sent', reason: 'key' });
  });

  it("aren't split if the service reports an empty list", () => {
    expect(carryOut(games(3), () => rejected('emptyList')).sizes).toEqual([3]);
  });

  it("aren't split if they are rate-limited", () => {
    const rejection = { kind: 'rejected', message: 'Slow down.' } as const;
    const { sizes, outcomes } = carryOut(games(150), () => ({ ...rejection, retryAfterMs: 1_000 }));
    expect(sizes).toEqual([100, 50]);
    expect(outcomes).toEqual(Array(150).fill(rejection));
  });

  it('are split at most 200 times if the service rejects everything', () => {
    const { sizes, outcomes } = carryOut(games(1000), () => ({ kind: 'rejected', message: 'Suspended.' }));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['rejected']));
    expect(sizes).toHaveLength(10 + 2 * 200);
  });

  it('omit the retry time from their outcomes', () => {
    const { outcomes } = carryOut(['cs2'], () => ({ kind: 'rejected', message: 'Slow.', retryAfterMs: 9 }));
    expect(outcomes).toEqual([{ kind: 'rejected', message: 'Slow.' }]);
  });

  it('stop after two missing responses in a row', () => {
    const answers = [ACCEPTED, SILENCE, ACCEPTED, UNREACHED, SILENCE];
    const { sizes, outcomes } = carryOut(games(700), (_, count) => answers[count - 1] ?? ACCEPTED);
    expect(sizes).toHaveLength(5);
    expect([0, 100, 200, 300, 400].map((index) => outcomes[index])).toEqual(answers);
    expect(outcomes[500]).toEqual({ kind: 'not-sent', reason: 'service' });
    expect(outcomes[699]).toEqual({ kind: 'not-sent', reason: 'service' });
  });

  it("don't stop if a rejection comes between two missing responses", () => {
    const answers = [SILENCE, rejected('emptyList'), SILENCE];
    expect(carryOut(games(400), (_, count) => answers[count - 1] ?? ACCEPTED).sizes).toHaveLength(4);
  });

  it.each(['key', 'down'] as const)("stop if a request can't be sent (%s)", (reason) => {
    const { sizes, outcomes } = carryOut(games(300), () => ({ kind: 'not-sent', reason }));
    expect(sizes).toHaveLength(1);
    expect(outcomes).toEqual(Array(300).fill({ kind: 'not-sent', reason }));
  });

  it('never resend a server that the service may have received', () => {
    const outcome = fc.constantFrom(ACCEPTED, SILENCE, UNREACHED, rejected('gameInvalid'), {
      kind: 'rejected',
      message: 'No.',
    } as const);
    fc.assert(
      fc.property(
        fc.infiniteStream(outcome),
        fc.array(fc.constantFrom('cs2', 'css', 'rust'), { maxLength: 1000 }),
        (answers, all) => {
          const received = new Set<number>();
          const { outcomes } = carryOut(all, (request) => {
            expect(request.length).toBeGreaterThan(0);
            expect(request.some((index) => received.has(index))).toBe(false);
            const answer: Outcome = answers.next().value;
            if (answer.kind === 'accepted' || answer.kind === 'unknown') {
              for (const index of request) received.add(index);
            }
            return answer;
          });
          const got = [...all.keys()].filter((index) => /accepted|unknown/.test(outcomes[index]?.kind ?? ''));
          expect(got).toEqual([...received].toSorted((one, other) => one - other));
          expect(outcomes.filter(Boolean)).toHaveLength(all.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});
