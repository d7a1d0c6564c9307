import type { Clock } from '../world/clock.ts';
import type { Gateway } from './server.ts';
import type { GatewayEvent } from './sessions.ts';

/** What happens to the next interactions: sent so often (0: never), so much later, with another payload. */
export interface Disturbance {
  readonly copies?: number;
  readonly delayMs?: number;
  readonly alter?: (payload: object) => object;
}

/** Rules 46 to 55: what a test can do to the gateway. */
export interface GatewayControls extends Omit<Gateway, 'publish' | 'connectionInfo' | 'stop'> {
  disturbDispatch(how: Disturbance): void;
  /** From now on this is the token: the old one is refused with 401 and 4004. */
  replaceToken(token: string): void;
}

/** Sends INTERACTION_CREATE, as it should or (rule 55) twice, late, altered, or not at all. */
export interface Dispatcher {
  dispatch(payload: object, guildId: string | undefined): void;
  disturb(how: Disturbance): void;
}

export function createDispatcher(deps: {
  readonly clock: Clock;
  readonly publish: (event: GatewayEvent) => void;
  /** Rule 51: with an Interactions Endpoint URL the gateway gets none. */
  readonly silent: boolean;
}): Dispatcher {
  const { clock, publish, silent } = deps;
  let how: Disturbance = {};
  return {
    disturb(next) {
      how = next;
    },
    dispatch(payload, guildId) {
      const { copies = 1, delayMs = 0, alter } = how;
      if (silent) return;
      const d = alter ? alter(structuredClone(payload)) : payload;
      // Rule 51: it belongs to no intent.
      const send = () => publish({ t: 'INTERACTION_CREATE', d, guildId, intent: 0 });
      for (let copy = 0; copy < copies; copy += 1)
        if (delayMs === 0) send();
        else clock.setTimeout(send, delayMs);
    },
  };
}
