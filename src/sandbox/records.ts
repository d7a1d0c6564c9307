import type { Breach, RecordedRequest } from './contract.ts';
import type { Closing } from './gateway/protocol.ts';
import type { HandledRequest } from './rest/server.ts';
import type { Clock } from './world/clock.ts';

const TEN_MINUTES_MS = 10 * 60_000;

/** What happened: every request, every payload, every broken rule. */
export interface Records {
  readonly requests: readonly RecordedRequest[];
  readonly breaches: readonly Breach[];
  request(handled: HandledRequest): void;
  frame(text: string): void;
  gatewayBreach(rule: number, what: string, closing: Closing): void;
  findSecret(secret: string): readonly RecordedRequest[];
}

export function createRecords(deps: {
  readonly clock: Pick<Clock, 'now'>;
  readonly onBreach: (breach: Breach) => void;
  readonly invalidRequests: { readonly limit: number; readonly onReached: (count: number) => void };
}): Records {
  const { clock, onBreach, invalidRequests } = deps;
  const requests: RecordedRequest[] = [];
  const frames: RecordedRequest[] = [];
  const breaches: Breach[] = [];
  let invalid: readonly number[] = [];

  function breach(broken: Breach): void {
    breaches.push(broken);
    onBreach(broken);
  }

  /** Rule 57: what Cloudflare counts against an address. A shared limit is nobody's fault. */
  function countInvalid({ status, denial }: HandledRequest): void {
    if (![401, 403, 429].includes(status) || denial?.limited?.scope === 'shared') return;
    const now = clock.now();
    invalid = [...invalid.filter((at) => at > now - TEN_MINUTES_MS), now];
    if (invalid.length === invalidRequests.limit) invalidRequests.onReached(invalid.length);
  }

  return {
    requests,
    breaches,
    request(handled) {
      const { method, path, body, status, denial, injected } = handled;
      requests.push({ at: clock.now(), method, path, body, status });
      countInvalid(handled);
      if (denial === undefined || denial.blameless === true || injected) return;
      const { rule, code, message, errors } = denial;
      breach({ rule, method, path, status, code, body: { code, message, ...(errors && { errors }) } });
    },
    frame: (text) => frames.push({ at: clock.now(), method: 'GATEWAY', path: '/', body: text, status: 0 }),
    gatewayBreach: (rule, what, [code, message]) =>
      breach({ rule, method: 'GATEWAY', path: what, status: 0, code, body: { code, message } }),
    /** Rule 59. */
    findSecret(secret) {
      const forms = [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64').replace(/=+$/, ''),
        Buffer.from(secret).toString('hex'),
      ];
      return [...requests, ...frames].filter(({ path, body }) =>
        forms.some((form) => path.includes(form) || body.includes(form)),
      );
    },
  };
}
