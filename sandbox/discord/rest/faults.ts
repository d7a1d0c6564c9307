import type { Socket } from 'node:net';

/** A way in which a request can fail. */
export type Fault =
  /** A 429 response from Discord's API. */
  | {
      readonly kind: 'rate limit';
      readonly scope: 'user' | 'global' | 'shared';
      readonly retryAfterMs: number;
    }
  /** Cloudflare's 429 response for a blocked IP address, without rate limit headers or a time to wait. */
  | { readonly kind: 'block'; readonly as: 'text' | 'html' }
  /** Responds with this status and doesn't carry out the request. The body is a Discord error by default. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Never responds. */
  | { readonly kind: 'hang' }
  /** Drops the connection without carrying out the request. */
  | { readonly kind: 'reset' }
  /**
   * Carries out the request, then drops the connection instead of responding. The bot can't know whether the request
   * succeeded.
   */
  | { readonly kind: 'answer lost' }
  /** Carries out the request immediately, but sends the response later. */
  | { readonly kind: 'delay'; readonly ms: number };

export interface FaultPlan {
  readonly fault: Fault;
  /** How many requests should fail. The default is 1. With `ofEachRoute`, each route is counted separately. */
  readonly times?: number;
  readonly ofEachRoute?: boolean;
  readonly method?: string;
  /** Must match the path after `/api/v10`. The default matches every path. */
  readonly path?: RegExp;
}

export type Faults = ReturnType<typeof createFaults>;
/** Functions that make requests fail. */
export type RestFaults = Faults['controls'];

/** Stores the injected faults. */
export function createFaults(connections: () => Iterable<Socket>) {
  let plans: { readonly plan: FaultPlan; readonly hits: Map<string, number> }[] = [];
  const dead = new Set<Socket>();

  return {
    controls: {
      inject: (plan: FaultPlan) => void plans.push({ plan, hits: new Map() }),
      /** Removes all faults and drops the silenced connections. */
      clear(): void {
        plans = [];
        for (const socket of dead) socket.destroy();
        dead.clear();
      },
      /** Ignores everything that is sent over existing connections. New connections work. */
      silenceConnections(): void {
        for (const socket of connections()) dead.add(socket);
      },
    },
    /** Returns the fault for a request, if any. */
    take(method: string, path: string): Fault | undefined {
      for (const { plan, hits } of plans) {
        if ((plan.method ?? method) !== method || plan.path?.test(path) === false) continue;
        const counted = plan.ofEachRoute ? `${method} ${routeOf(path)}` : '';
        const before = hits.get(counted) ?? 0;
        if (before >= (plan.times ?? 1)) continue;
        hits.set(counted, before + 1);
        return plan.fault;
      }
      return undefined;
    },
    isDead: (socket: Socket) => dead.has(socket),
  };
}

/** Replaces ids and tokens in a path to get the same name for all requests to a route. */
const routeOf = (path: string): string => path.replace(/\/(?:\d+|[\w-]{100,})(?=\/|$)/g, '/:id');
