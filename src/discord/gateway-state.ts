import {
  type Client,
  Events,
  GatewayDispatchEvents,
  type RESTGetAPIGatewayBotResult,
  Routes,
  Status,
} from 'discord.js';

/** What a shard is doing; the names are ours, several states of discord.js are one of them. */
export const SHARD_STATES = ['ready', 'connecting', 'resuming', 'disconnected'] as const;
export type ShardState = (typeof SHARD_STATES)[number];

/** The state of the connection to the gateway, for those who watch over it. */
export interface GatewayState {
  shards(): Readonly<Record<ShardState, number>>;
  /** Whether every shard is ready. */
  isConnected(): boolean;
  /**
   * Milliseconds since the shard that has been silent longest was last heard: an event, or the answer to a heartbeat.
   * A greeting (HELLO) alone does not count, since a gateway that only ever greets serves nobody. Exact to the time
   * between two calls.
   */
  silentMs(): number;
  /** How many IDENTIFYs of the day are left, by what Discord said last and what was used since; `undefined`: not asked yet. */
  identifiesLeft(): number | undefined;
  /** Asks Discord for that. @throws when there is no answer */
  askIdentifiesLeft(): Promise<void>;
}

const STATES: Readonly<Record<number, ShardState>> = {
  [Status.Ready]: 'ready',
  [Status.Resuming]: 'resuming',
  [Status.Disconnected]: 'disconnected',
};
/** How long Discord may take to say how many IDENTIFYs are left, in milliseconds. */
const ASK_TIMEOUT_MS = 5_000;

export function createGatewayState(client: Client): GatewayState {
  const madeAt = performance.now();
  /** By shard: when it was heard, and the heartbeat that was answered last. */
  const heardAt = new Map<number, number>();
  const heartbeats = new Map<number, number>();
  let left: number | undefined;

  client.on(Events.Raw, (_: unknown, shard: number) => void heardAt.set(shard, performance.now()));
  client.ws.on(GatewayDispatchEvents.Ready, () => {
    if (left !== undefined) left = Math.max(0, left - 1);
  });

  return {
    shards() {
      const counts = { ready: 0, connecting: 0, resuming: 0, disconnected: 0 };
      for (const { status } of client.ws.shards.values()) counts[STATES[status] ?? 'connecting'] += 1;
      return counts;
    },
    isConnected: () =>
      client.ws.shards.size > 0 && client.ws.shards.every(({ status }) => status === Status.Ready),
    silentMs() {
      const now = performance.now();
      const silences = [...client.ws.shards.values()].map(({ id, lastPingTimestamp: heartbeat }) => {
        if (heartbeats.get(id) !== heartbeat) {
          if (heartbeat > 0) heardAt.set(id, now);
          heartbeats.set(id, heartbeat);
        }
        return now - (heardAt.get(id) ?? madeAt);
      });
      return silences.length === 0 ? now - madeAt : Math.max(...silences);
    },
    identifiesLeft: () => left,
    async askIdentifiesLeft() {
      const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
      const { session_start_limit: limit } = (await client.rest.get(Routes.gatewayBot(), {
        signal,
      })) as RESTGetAPIGatewayBotResult;
      left = limit.remaining;
    },
  };
}
