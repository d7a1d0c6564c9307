import type { Breach, BreachEvent, RecordedRequest, WireEvent } from './contract.ts';
import type { Closing } from './gateway/protocol.ts';
import type { HandledRequest } from './rest/server.ts';
import type { Clock } from './world/clock.ts';
import { type Bounds, createLatest } from './world/latest.ts';

/** More broken rules than that say nothing new; `onBreach` hears of each. */
const MOST_BREACHES = 10_000;
const TEN_MINUTES_MS = 10 * 60_000;

/** What happened: every request, every payload, every broken rule. */
export interface Records {
  requests(): readonly RecordedRequest[];
  readonly breaches: readonly Breach[];
  request(handled: HandledRequest): void;
  /** A payload over the gateway. */
  frame(from: WireEvent['from'], text: string): void;
  gatewayBreach(rule: number, what: string, closing: Closing): void;
  /** @throws Error when not every request was kept, so that none can be vouched for. */
  findSecret(secret: string): readonly RecordedRequest[];
}

export function createRecords(deps: {
  readonly clock: Pick<Clock, 'now'>;
  readonly onEvent: (event: WireEvent | BreachEvent) => void;
  readonly invalidRequests: { readonly limit: number; readonly onReached: (count: number) => void };
  readonly bounds: Bounds;
}): Records {
  const { clock, onEvent, invalidRequests, bounds } = deps;
  const requests = createLatest<RecordedRequest>(bounds);
  const frames = createLatest<RecordedRequest>(bounds);
  const breaches: Breach[] = [];
  const invalid: number[] = [];
  let recorded = 0;

  function record(kind: typeof requests, what: Omit<RecordedRequest, 'at'>): void {
    const request = { at: clock.now(), ...what };
    recorded += 1;
    kind.set(String(recorded), request, what.body.length);
    onEvent({ kind: 'wire', from: 'bot', request });
  }

  const framed = (body: string): Omit<RecordedRequest, 'at'> => ({
    method: 'GATEWAY',
    path: '/',
    body,
    status: 0,
    httpVersion: '1.1',
  });

  function breach(broken: Breach): void {
    if (breaches.length < MOST_BREACHES) breaches.push(broken);
    onEvent({ kind: 'breach', breach: broken });
  }

  /** Rule 57: what Cloudflare counts against an address. A shared limit is nobody's fault. */
  function countInvalid({ status, denial }: HandledRequest): void {
    if (![401, 403, 429].includes(status) || denial?.limited?.scope === 'shared') return;
    const now = clock.now();
    while (invalid[0] !== undefined && invalid[0] <= now - TEN_MINUTES_MS) invalid.shift();
    invalid.push(now);
    if (invalid.length === invalidRequests.limit) invalidRequests.onReached(invalid.length);
  }

  return {
    requests: () => requests.all(),
    breaches,
    request(handled) {
      const { method, path, body, status, httpVersion, denial, injected } = handled;
      record(requests, { method, path, body, status, httpVersion });
      countInvalid(handled);
      if (denial === undefined || denial.blameless === true || injected) return;
      const { rule, code, message, errors } = denial;
      breach({ rule, method, path, status, code, body: { code, message, ...(errors && { errors }) } });
    },
    frame(from, text) {
      if (from === 'bot') record(frames, framed(text));
      else onEvent({ kind: 'wire', from, request: { at: clock.now(), ...framed(text) } });
    },
    gatewayBreach: (rule, what, [code, message]) =>
      breach({ rule, method: 'GATEWAY', path: what, status: 0, code, body: { code, message } }),
    /** Rule 59. */
    findSecret(secret) {
      const dropped = requests.dropped() + frames.dropped();
      if (dropped > 0)
        throw new Error(`${dropped} requests are no longer kept and cannot be searched; raise \`keep\`.`);
      const forms = [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64').replace(/=+$/, ''),
        Buffer.from(secret).toString('hex'),
      ];
      return [...requests.all(), ...frames.all()].filter(({ path, body }) =>
        forms.some((form) => path.includes(form) || body.includes(form)),
      );
    },
  };
}
