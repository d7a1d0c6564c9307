import { createHash } from 'node:crypto';
import type { Clock } from '../world/clock.ts';
import type { Denial } from './denial.ts';
import type { Found } from './route.ts';

// Rule 45: 50 requests a second for a bot; interaction routes are exempt (Discord docs: Rate Limits).
const GLOBAL = { limit: 50, windowMs: 1_000 };
/** For routes about whose own limit nothing is known. */
const USUAL = { name: 'usual', limit: 50, windowMs: 1_000, major: '' };

export interface Taken {
  /** The five headers of every answer (rule 9). */
  readonly headers: Readonly<Record<string, string>>;
  readonly denial: Denial | undefined;
}

export interface RateLimits {
  /** Counts one request. */
  take(found: Found): Taken;
}

interface Window {
  endsAt: number;
  used: number;
}

export function createRateLimits({ clock }: { readonly clock: Pick<Clock, 'now'> }): RateLimits {
  const windows = new Map<string, Window>();

  function use(key: string, windowMs: number): Window {
    const now = clock.now();
    const current = windows.get(key);
    const window =
      current === undefined || current.endsAt <= now ? { endsAt: now + windowMs, used: 0 } : current;
    window.used += 1;
    if (window !== current) {
      for (const [old, { endsAt }] of windows) {
        if (endsAt > now) break;
        windows.delete(old);
      }
      windows.set(key, window);
    }
    return window;
  }

  return {
    take({ route, params }) {
      const now = clock.now();
      const bucket = route.bucket ?? USUAL;
      const name = route.bucket === undefined ? `${route.method} ${route.path}` : bucket.name;
      const major = params[bucket.major] ?? '';
      const window = use(`${name}|${major}`, bucket.windowMs);
      const headers = {
        'x-ratelimit-limit': String(bucket.limit),
        'x-ratelimit-remaining': String(Math.max(bucket.limit - window.used, 0)),
        'x-ratelimit-reset': (window.endsAt / 1_000).toFixed(3),
        'x-ratelimit-reset-after': ((window.endsAt - now) / 1_000).toFixed(3),
        'x-ratelimit-bucket': createHash('md5').update(name).digest('hex'),
      };
      if (window.used > bucket.limit) {
        // Interaction routes alone need no authorization.
        const rule = route.auth === 'none' ? 45 : 9;
        return { headers, denial: { ...tooMany('user', window.endsAt - now), rule } };
      }
      if (route.auth === 'bot') {
        const global = use('global', GLOBAL.windowMs);
        if (global.used > GLOBAL.limit) return { headers, denial: tooMany('global', global.endsAt - now) };
      }
      return { headers, denial: undefined };
    },
  };
}

/** Rule 9: the body and, from `limited`, the headers of a 429. */
export function tooMany(scope: 'user' | 'global' | 'shared', retryAfterMs: number): Denial {
  return {
    rule: 9,
    status: 429,
    code: 0,
    message: scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.',
    limited: { retryAfterMs, scope },
  };
}

export function limitHeaders({
  retryAfterMs,
  scope,
}: NonNullable<Denial['limited']>): Record<string, string> {
  return {
    'retry-after': String(Math.ceil(retryAfterMs / 1_000)),
    'x-ratelimit-scope': scope,
    ...(scope !== 'global' && {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset-after': (retryAfterMs / 1_000).toFixed(3),
    }),
    ...(scope === 'global' && { 'x-ratelimit-global': 'true' }),
  };
}
