import { GatewayCloseCodes, RESTJSONErrorCodes } from 'discord.js';
import type { Breach, DiscordEvent, RecordedRequest, WireEvent } from './contract.ts';
import type { HandledRequest } from './rest/server.ts';
import type { Clock } from './world/clock.ts';
import type { Interaction } from './world/interactions.ts';
import { createLatest } from './world/latest.ts';

/** The maximum number of breaches to keep. */
const MOST_BREACHES = 10_000;

/** Records every request, gateway payload and breach. */
export function createRecords(deps: {
  readonly clock: Pick<Clock, 'now'>;
  readonly onEvent: (event: DiscordEvent) => void;
}) {
  const { clock, onEvent } = deps;
  const requests = createLatest<RecordedRequest>();
  const frames = createLatest<RecordedRequest>();
  const breaches: Breach[] = [];
  let recorded = 0;

  function record(kind: typeof requests, request: RecordedRequest): void {
    recorded += 1;
    kind.set(String(recorded), request);
    onEvent({ kind: 'wire', from: 'bot', request });
  }

  function breach(broken: Breach): void {
    if (breaches.length < MOST_BREACHES) breaches.push(broken);
    onEvent({ kind: 'breach', breach: broken });
  }

  return {
    requests: (): readonly RecordedRequest[] => requests.all(),
    breaches: breaches as readonly Breach[],
    request({ denial, ...handled }: HandledRequest) {
      record(requests, { at: clock.now(), ...handled });
      if (denial === undefined || denial.blameless) return;
      const { title = denial.message, code, message } = denial;
      const { method, path, status } = handled;
      breach({ title, method, path, status, code, message });
    },
    /** Records a gateway payload. */
    frame(from: WireEvent['from'], body: string) {
      const request = { at: clock.now(), method: 'GATEWAY', path: '/', body, status: 0, httpVersion: '1.1' };
      if (from === 'bot') record(frames, request);
      else onEvent({ kind: 'wire', from, request });
    },
    /** Records an interaction that was posted to the bot's endpoint. The status is 0 if the bot didn't respond in time. */
    posted(path: string, body: string, status: number) {
      const request = { at: clock.now(), method: 'POST', path, body, status, httpVersion: '1.1' };
      onEvent({ kind: 'wire', from: 'discord', request });
    },
    gatewayBreach(code: GatewayCloseCodes) {
      const title = GatewayCloseCodes[code];
      breach({ title, method: 'GATEWAY', path: '/', status: 0, code, message: title });
    },
    lateResponse({ id, command }: Interaction, afterMs: number) {
      const title = 'A first response arrives within three seconds';
      const message = `${command?.name ?? 'a component'}: it came after ${Math.round(afterMs)} ms`;
      const path = `/interactions/${id}/:token/callback`;
      const code = RESTJSONErrorCodes.UnknownInteraction;
      breach({ title, method: 'POST', path, status: 204, code, message });
    },
    findSecret(secret: string): readonly RecordedRequest[] {
      const dropped = requests.dropped() + frames.dropped();
      if (dropped > 0) throw new Error(`${dropped} requests are no longer kept and cannot be searched`);
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
