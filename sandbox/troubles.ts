import type { Fault, RestFaults } from './discord/rest/faults.ts';
import type { Mode } from './listing/modes.ts';

interface Trouble<How> {
  /** Goes on from "Discord" or "The listing service". */
  readonly words: string;
  readonly how: How;
}

/** How the listing service can behave, by the name that the page asks for. */
export const SERVICE_TROUBLES: Readonly<Record<string, Trouble<Mode>>> = {
  ok: { words: 'answers as it should', how: { kind: 'ok' } },
  down: { words: 'refuses connections', how: { kind: 'down' } },
  slow: { words: 'answers after 1.5 seconds', how: { kind: 'slow', ms: 1_500 } },
  failing: { words: 'answers 503', how: { kind: 'status', status: 503 } },
  limited: { words: 'answers 429', how: { kind: 'status', status: 429, retryAfter: 30 } },
  html: { words: 'answers with a web page', how: { kind: 'html' } },
  hang: { words: 'reads requests and never answers', how: { kind: 'hang' } },
  truncated: { words: 'stops in the middle of its answers', how: { kind: 'truncated' } },
};

const always =
  (fault: Fault) =>
  (faults: RestFaults): void =>
    faults.inject({ fault, times: Number.POSITIVE_INFINITY });

/** How Discord's REST API can be unwell, by the name that the page asks for. */
export const DISCORD_TROUBLES: Readonly<Record<string, Trouble<(faults: RestFaults) => void>>> = {
  ok: { words: 'answers as it should', how: () => undefined },
  blocked: {
    words: 'blocks the bot’s address: 429 without a time',
    how: always({ kind: 'block', as: 'text' }),
  },
  'blocked-html': {
    words: 'blocks the bot’s address: 429 with a web page',
    how: always({ kind: 'block', as: 'html' }),
  },
  limited: {
    words: 'limits every request for a minute',
    how: always({ kind: 'rate limit', scope: 'global', retryAfterMs: 60_000 }),
  },
  slow: { words: 'answers after 2 seconds', how: always({ kind: 'delay', ms: 2_000 }) },
  failing: { words: 'answers 503', how: always({ kind: 'status', status: 503 }) },
  'first-failing': {
    words: 'answers the first request of each route with 503',
    how: (faults) => faults.inject({ fault: { kind: 'status', status: 503 }, ofEachRoute: true }),
  },
  dead: {
    words: 'no longer hears what comes over the connections of now',
    how: (faults) => faults.silenceConnections(),
  },
};
