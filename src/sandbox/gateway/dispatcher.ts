import type { Clock } from '../world/clock.ts';
import type { Gateway } from './server.ts';
import type { GatewayEvent } from './sessions.ts';

/** Rules 46 to 55: what a test can do to the gateway. */
export interface GatewayControls extends Omit<Gateway, 'publish' | 'connectionInfo' | 'stop'> {
  /** What happens to the next interactions: sent so often (0: never), so much later. */
  disturbDispatch(how: { readonly copies?: number; readonly delayMs?: number }): void;
  /** From now on this is the token: the old one is refused with 401 and 4004. */
  replaceToken(token: string): void;
}

/** Sends INTERACTION_CREATE, as it should or (rule 55) twice, late, or not at all. */
export interface Dispatcher {
  dispatch(payload: object, guildId: string | undefined): void;
  disturb(how: { readonly copies?: number; readonly delayMs?: number }): void;
}

export function createDispatcher(deps: {
  readonly clock: Clock;
  readonly publish: (event: GatewayEvent) => void;
  /** Rule 51: with an Interactions Endpoint URL the gateway gets none. */
  readonly silent: boolean;
}): Dispatcher {
  const { clock, publish, silent } = deps;
  let how: { readonly copies?: number; readonly delayMs?: number } = {};
  return {
    disturb(next) {
      how = next;
    },
    dispatch(d, guildId) {
      const { copies = 1, delayMs = 0 } = how;
      if (silent) return;
      // Rule 51: it belongs to no intent.
      const send = () => publish({ t: 'INTERACTION_CREATE', d, guildId, intent: 0 });
      for (let copy = 0; copy < copies; copy += 1)
        if (delayMs === 0) send();
        else clock.setTimeout(send, delayMs);
    },
  };
}
