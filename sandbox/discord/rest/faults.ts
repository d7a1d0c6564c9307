/** Rules 9 and 55: what can be made to go wrong with a request. */
export type Fault =
  | {
      readonly kind: 'rate limit';
      readonly scope: 'user' | 'global' | 'shared';
      readonly retryAfterMs: number;
    }
  /** Answered so, without doing anything: 500, 502, 401 … */
  | { readonly kind: 'status'; readonly status: number }
  /** Never answered. */
  | { readonly kind: 'hang' }
  /** The connection is cut before anything is done. */
  | { readonly kind: 'reset' }
  /** It is done, and the connection is cut before the answer: the bot cannot know. */
  | { readonly kind: 'answer lost' }
  | { readonly kind: 'delay'; readonly ms: number };

export interface FaultPlan {
  readonly fault: Fault;
  /** How many requests it hits; 1 when not said. */
  readonly times?: number;
  readonly method?: string;
  /** Tried on the path below `/api/v10`; every path when not said. */
  readonly path?: RegExp;
}

export interface RestFaults {
  inject(plan: FaultPlan): void;
  clear(): void;
}

export function createFaults(): RestFaults & {
  take(method: string, path: string): Fault | undefined;
} {
  let plans: { readonly plan: FaultPlan; left: number }[] = [];
  return {
    inject: (plan) => plans.push({ plan, left: plan.times ?? 1 }),
    clear() {
      plans = [];
    },
    take(method, path) {
      const hit = plans.find(
        ({ plan, left }) =>
          left > 0 && (plan.method ?? method) === method && (plan.path === undefined || plan.path.test(path)),
      );
      if (hit === undefined) return undefined;
      hit.left -= 1;
      return hit.plan.fault;
    },
  };
}
