import type { Socket } from 'node:net';

/** A fault to inject into a request. */
export type Fault =
  /** A 429 as Discord's API sends it. */
  | {
      readonly kind: 'rate limit';
      readonly scope: 'user' | 'global' | 'shared';
      readonly retryAfterMs: number;
    }
  /**
   * A 429 as the network in front of Discord sends it to a blocked address: without rate limit headers and without a retry
   * time.
   */
  | { readonly kind: 'block'; readonly as: 'text' | 'html' }
  /** Responds with this status instead of doing the request. The body is a Discord error, or the given text or JSON. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Sends no response. */
  | { readonly kind: 'hang' }
  /** Cuts the connection before doing anything. */
  | { readonly kind: 'reset' }
  /** Does the request, then cuts the connection before the response, so that the bot can't know the result. */
  | { readonly kind: 'answer lost' }
  /** Does the request immediately, and responds later. */
  | { readonly kind: 'delay'; readonly ms: number };

export interface FaultPlan {
  readonly fault: Fault;
  /** How many requests to hit, per route with `ofEachRoute`; by default 1. */
  readonly times?: number;
  readonly ofEachRoute?: boolean;
  readonly method?: string;
  /** Matched against the path below `/api/v10`; by default every path. */
  readonly path?: RegExp;
}

export type Faults = ReturnType<typeof createFaults>;
/** Controls that make requests fail. */
export type RestFaults = Faults['controls'];

/** Creates the faults of requests. */
export function createFaults(connections: () => Iterable<Socket>) {
  let plans: { readonly plan: FaultPlan; readonly hits: Map<string, number> }[] = [];
  const dead = new Set<Socket>();

  return {
    controls: {
      inject: (plan: FaultPlan) => void plans.push({ plan, hits: new Map() }),
      /** Removes all faults, and cuts silenced connections. */
      clear(): void {
        plans = [];
        for (const socket of dead) socket.destroy();
        dead.clear();
      },
      /** Ignores everything sent over the present connections; new connections work. */
      silenceConnections(): void {
        for (const socket of connections()) dead.add(socket);
      },
    },
    /** Returns the fault for this request, if any. */
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

/** Replaces the ids and tokens in a path. */
const routeOf = (path: string): string => path.replace(/\/(?:\d+|[\w-]{100,})(?=\/|$)/g, '/:id');
