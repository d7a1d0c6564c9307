import { createHash } from 'node:crypto';
import type { Clock } from '../world/clock.ts';
import { type Denial, type RateLimit, tooMany } from './denial.ts';
import type { Bucket, RouteMatch } from './route.ts';

/** A bot may send 50 requests per second in total, not counting interaction routes (Discord docs: Rate Limits). */
const GLOBAL: Bucket = { name: 'global', limit: 50, windowMs: 1_000, major: '' };

interface LimitResult {
  /** The five rate limit headers that Discord adds to every response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly denial: Denial | undefined;
}

interface Window {
  readonly endsAt: number;
  used: number;
}

export function createRateLimits(clock: Pick<Clock, 'now'>) {
  /** The current rate limit windows, oldest first. */
  const windows = new Map<string, Window>();

  function use(key: string, windowMs: number): Window {
    const now = clock.now();
    const current = windows.get(key);
    // A window in the future is left over from a test that had advanced this process's clocks.
    const isCurrent = current && current.endsAt > now && current.endsAt - windowMs <= now;
    const window = isCurrent ? current : { endsAt: now + windowMs, used: 0 };
    window.used += 1;
    if (window === current) return window;
    for (const [old, { endsAt }] of windows) {
      if (endsAt <= now) windows.delete(old);
      else break;
    }
    windows.delete(key);
    windows.set(key, window);
    return window;
  }

  return {
    /** Counts a request against its limits. */
    take({ route, params }: RouteMatch): LimitResult {
      // Discord doesn't publish most routes' limits, so the global limit is used for these routes.
      const bucket = route.bucket ?? { ...GLOBAL, name: `${route.method} ${route.path}` };
      const window = use(`${bucket.name}|${params[bucket.major] ?? ''}`, bucket.windowMs);
      const leftMs = window.endsAt - clock.now();
      const headers = {
        'x-ratelimit-limit': String(bucket.limit),
        'x-ratelimit-remaining': String(Math.max(bucket.limit - window.used, 0)),
        'x-ratelimit-reset': (window.endsAt / 1_000).toFixed(3),
        'x-ratelimit-reset-after': (leftMs / 1_000).toFixed(3),
        'x-ratelimit-bucket': createHash('md5').update(bucket.name).digest('hex'),
      };
      if (window.used > bucket.limit)
        return { headers, denial: tooMany({ scope: 'user', retryAfterMs: leftMs }) };
      if (route.auth === 'none') return { headers, denial: undefined };
      const global = use(GLOBAL.name, GLOBAL.windowMs);
      if (global.used <= GLOBAL.limit) return { headers, denial: undefined };
      return { headers, denial: tooMany({ scope: 'global', retryAfterMs: global.endsAt - clock.now() }) };
    },
  };
}

/** Builds the extra headers of a 429 (Discord docs: Rate Limits, Exceeding A Rate Limit). */
export const limitHeaders = ({ retryAfterMs, scope }: RateLimit): Readonly<Record<string, string>> => ({
  'retry-after': String(Math.ceil(retryAfterMs / 1_000)),
  'x-ratelimit-scope': scope,
  ...(scope === 'global'
    ? { 'x-ratelimit-global': 'true' }
    : {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset-after': (retryAfterMs / 1_000).toFixed(3),
      }),
});
