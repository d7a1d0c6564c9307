import type { Socket } from 'node:net';

/** What can be made to go wrong with a request. */
export type Fault =
  /** A 429 as Discord's API answers it. */
  | {
      readonly kind: 'rate limit';
      readonly scope: 'user' | 'global' | 'shared';
      readonly retryAfterMs: number;
    }
  /** A 429 as the network in front of Discord answers a blocked address: without any header of a rate limit, and without a time. */
  | { readonly kind: 'block'; readonly as: 'text' | 'html' }
  /** Answered so, without doing anything: 500, 502, 401 … With an error of Discord's unless there is a body, which is text or JSON. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Never answered. */
  | { readonly kind: 'hang' }
  /** The connection is cut before anything is done. */
  | { readonly kind: 'reset' }
  /** It is done, and the connection is cut before the answer: the bot cannot know. */
  | { readonly kind: 'answer lost' }
  /** It is done at once, and answered so much later. */
  | { readonly kind: 'delay'; readonly ms: number };

export interface FaultPlan {
  readonly fault: Fault;
  /** How many requests it hits, of each route where `ofEachRoute` says so; 1 when not said. */
  readonly times?: number;
  readonly ofEachRoute?: boolean;
  readonly method?: string;
  /** Tried on the path below `/api/v10`; every path when not said. */
  readonly path?: RegExp;
}

export type Faults = ReturnType<typeof createFaults>;
/** Lets requests fail. */
export type RestFaults = Faults['controls'];

/** What goes wrong with requests. */
export function createFaults(connections: () => Iterable<Socket>) {
  let plans: { readonly plan: FaultPlan; readonly hits: Map<string, number> }[] = [];
  const dead = new Set<Socket>();

  return {
    controls: {
      inject: (plan: FaultPlan) => void plans.push({ plan, hits: new Map() }),
      /** From now on nothing goes wrong; connections that were silenced are cut. */
      clear(): void {
        plans = [];
        for (const socket of dead) socket.destroy();
        dead.clear();
      },
      /** Whatever is sent over the connections of this moment is never seen; new connections work. */
      silenceConnections(): void {
        for (const socket of connections()) dead.add(socket);
      },
    },
    /** What goes wrong with this request, if anything. */
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

/** The path without the ids and tokens in it. */
const routeOf = (path: string): string => path.replace(/\/(?:\d+|[\w-]{100,})(?=\/|$)/g, '/:id');
