import type { Fault, RestFaults } from './discord/rest/faults.ts';
import type { Mode } from './listing/modes.ts';
import type { Texts } from './page/texts.ts';

interface Trouble<How> {
  /** The rest of a sentence that begins with "Discord" or "The listing service". */
  readonly words: Texts;
  readonly how: How;
}

/** Faults in the listing service, by the names used on the page. */
export const SERVICE_TROUBLES = {
  ok: { words: { en: 'works normally', de: 'antwortet wie gewohnt' }, how: { kind: 'ok' } },
  down: {
    words: { en: 'doesn’t accept connections', de: 'nimmt keine Verbindungen an' },
    how: { kind: 'down' },
  },
  slow: {
    words: { en: 'responds after 1.5 seconds', de: 'antwortet nach 1,5 Sekunden' },
    how: { kind: 'slow', ms: 1_500 },
  },
  failing: {
    words: { en: 'responds with 503', de: 'antwortet mit 503' },
    how: { kind: 'status', status: 503 },
  },
  limited: {
    words: { en: 'responds with 429', de: 'antwortet mit 429' },
    how: { kind: 'status', status: 429, retryAfter: 30 },
  },
  html: {
    words: { en: 'responds with a web page', de: 'antwortet mit einer Webseite' },
    how: { kind: 'html' },
  },
  hang: {
    words: { en: 'reads requests but never responds', de: 'liest Anfragen und antwortet nie' },
    how: { kind: 'hang' },
  },
  truncated: {
    words: { en: 'cuts off its responses', de: 'bricht Antworten mittendrin ab' },
    how: { kind: 'truncated' },
  },
} satisfies Readonly<Record<string, Trouble<Mode>>>;

/** Faults in Steam's server list, by the names used on the page. */
export const STEAM_TROUBLES: Readonly<Record<string, Trouble<Mode>>> = {
  ok: SERVICE_TROUBLES.ok,
  limited: SERVICE_TROUBLES.limited,
  failing: SERVICE_TROUBLES.failing,
  hang: SERVICE_TROUBLES.hang,
};

const always =
  (fault: Fault) =>
  (faults: RestFaults): void =>
    faults.inject({ fault, times: Number.POSITIVE_INFINITY });

/** Faults in Discord's REST API, by the names used on the page. */
export const DISCORD_TROUBLES: Readonly<Record<string, Trouble<(faults: RestFaults) => void>>> = {
  ok: { words: { en: 'works normally', de: 'antwortet wie gewohnt' }, how: () => undefined },
  blocked: {
    words: {
      en: 'blocks the bot’s address: 429 without a retry time',
      de: 'sperrt die Adresse des Bots: 429 ohne Zeitangabe',
    },
    how: always({ kind: 'block', as: 'text' }),
  },
  'blocked-html': {
    words: {
      en: 'blocks the bot’s address: 429 with a web page',
      de: 'sperrt die Adresse des Bots: 429 mit einer Webseite',
    },
    how: always({ kind: 'block', as: 'html' }),
  },
  limited: {
    words: { en: 'limits every request for a minute', de: 'begrenzt jede Anfrage eine Minute lang' },
    how: always({ kind: 'rate limit', scope: 'global', retryAfterMs: 60_000 }),
  },
  slow: {
    words: { en: 'responds after 2 seconds', de: 'antwortet nach 2 Sekunden' },
    how: always({ kind: 'delay', ms: 2_000 }),
  },
  failing: {
    words: { en: 'responds with 503', de: 'antwortet mit 503' },
    how: always({ kind: 'status', status: 503 }),
  },
  'first-failing': {
    words: {
      en: 'responds to the first request of each route with 503',
      de: 'antwortet auf die erste Anfrage jeder Art mit 503',
    },
    how: (faults) => faults.inject({ fault: { kind: 'status', status: 503 }, ofEachRoute: true }),
  },
  dead: {
    words: {
      en: 'ignores everything sent over the present connections',
      de: 'hört nichts mehr über die jetzigen Verbindungen',
    },
    how: (faults) => faults.silenceConnections(),
  },
};
