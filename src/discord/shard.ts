import { setTimeout as sleep } from 'node:timers/promises';
import {
  CloseCodes,
  DefaultWebSocketManagerOptions,
  type IContextFetchingStrategy,
  type SessionInfo,
  WebSocketShard,
  type WebSocketShardDestroyOptions,
  WebSocketShardDestroyRecovery,
  WebSocketShardEvents,
} from '@discordjs/ws';
import {
  type GatewayDispatchPayload,
  GatewayOpcodes,
  type GatewayReadyDispatchData,
  type RESTGetAPIGatewayBotResult,
} from 'discord.js';
import type { SparingLog } from '../pacing/sparing-log.ts';
import type { Secret } from '../text/secret.ts';
import type { IdentifyQuota } from './identifies.ts';

export type ShardState = 'ready' | 'connecting' | 'disconnected';

/** Opening a connection and receiving HELLO normally take a fraction of a second. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
const HELLO_TIMEOUT_MS = 20_000;
/**
 * Time limit for READY and RESUMED. In an outage, Discord eventually responds to clients that keep sending heartbeats
 * (Discord docs: Gateway, "Sending Heartbeats").
 */
const SESSION_TIMEOUT_MS = 60_000;
/** Without this limit, closing a dead connection would take half a minute. */
const CLOSE_TIMEOUT_MS = 1_000;
/**
 * After so many consecutive connections, the shard drops the old session and uses the main gateway URL (Discord
 * docs: Gateway, "Handling a Disconnect"; buape/carbon#364). On 2026-09-01, resume hosts were down for 14 hours
 * (Rapptz/discord.py#10511).
 */
const MAX_CONNECTIONS_WITHOUT_SESSION = 3;
/**
 * The delay before the next connection doubles with each connection without a session, and with each IDENTIFY without
 * READY. In the worst case, one IDENTIFY every ten minutes adds up to 144 a day.
 */
const MIN_PAUSE_MS = 500;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const MAX_IDENTIFY_PAUSE_MS = 10 * 60_000;

export interface ShardDeps {
  readonly id: number;
  readonly info: RESTGetAPIGatewayBotResult;
  readonly token: Secret;
  readonly identifies: Pick<IdentifyQuota, 'acquire'>;
  readonly onReady: (data: GatewayReadyDispatchData) => void;
  readonly onResumed: () => void;
  readonly onDispatch: (data: GatewayDispatchPayload) => void;
  /** @returns whether the code ends the shard permanently */
  readonly onClosed: (code: number) => boolean;
  readonly log: SparingLog;
}

export type Shard = ReturnType<typeof createShard>;

/**
 * Creates a shard that keeps one gateway session across several connections. Each connection is a shard from @discordjs/ws
 * that doesn't reconnect itself, because version 1.2.3 has these problems:
 * - If it can't connect, it retries every half second, forever.
 * - It waits for a dead connection to close, which takes half a minute (`closeTimeout` of the ws package).
 * - It doesn't limit how long Discord takes to respond to RESUME.
 *
 * It drops the session after some network errors, and version 2.0.4 after any socket error. Here, `end` handles the end of
 * every connection and starts the next one.
 */
export function createShard({ id, info, token, identifies, log, ...deps }: ShardDeps) {
  const leaving = new AbortController();
  const attemptsSinceSession = { connections: 0, identifies: 0 };
  let state: ShardState = 'connecting';
  let session: SessionInfo | null = null;
  let connection: WebSocketShard | undefined;
  let resumeLimit: NodeJS.Timeout | undefined;
  let hasIdentified = false;
  /**
   * When the shard last received anything, as returned by `performance.now()`. It is `undefined` before the first IDENTIFY,
   * and while the shard waits for its turn, for READY or for the end of a pause.
   */
  let heardAt: number | undefined;

  const hear = () => {
    heardAt = performance.now();
  };

  const strategy: IContextFetchingStrategy = {
    options: {
      ...DefaultWebSocketManagerOptions,
      token: token.reveal(),
      intents: 0,
      gatewayInformation: info,
      shardCount: info.shards,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      helloTimeout: HELLO_TIMEOUT_MS,
      readyTimeout: SESSION_TIMEOUT_MS,
    },
    retrieveSessionInfo: () => session,
    updateSessionInfo(_shard, changed) {
      // Ignores null, because `end` decides whether to drop the session.
      if (changed !== null) session = changed;
    },
    async waitForIdentify(_shard, signal) {
      heardAt = undefined;
      await identifies.acquire({ shard: id, isFirst: !hasIdentified, signal });
      hasIdentified = true;
      attemptsSinceSession.identifies += 1;
    },
  };

  function connect(): void {
    const made = new WebSocketShard(strategy, id);
    connection = made;
    const destroy = made.destroy.bind(made);
    const send = made.send.bind(made);
    made.destroy = (options) => end(made, destroy, options);
    made.send = async (payload) => {
      if (payload.op === GatewayOpcodes.Resume) awaitResumed(made);
      await send(payload);
    };
    made.on(WebSocketShardEvents.Ready, ({ data }) => {
      begun();
      deps.onReady(data);
    });
    made.on(WebSocketShardEvents.Resumed, () => {
      begun();
      deps.onResumed();
    });
    made.on(WebSocketShardEvents.Dispatch, ({ data }) => {
      hear();
      deps.onDispatch(data);
    });
    made.on(WebSocketShardEvents.HeartbeatComplete, () => {
      if (heardAt !== undefined) hear();
    });
    made.on(WebSocketShardEvents.Closed, ({ code }) => {
      if (deps.onClosed(code)) state = 'disconnected';
    });
    made.on(WebSocketShardEvents.Error, ({ error }) => {
      if (state !== 'disconnected') log.warn({ err: error, shard: id }, 'connection to Discord failed');
    });
    // The error listener has already logged the failure.
    made.connect().catch(() => undefined);
  }

  function awaitResumed(made: WebSocketShard): void {
    hear();
    state = 'connecting';
    const giveUp = {
      reason: 'Discord did not respond to RESUME',
      recover: WebSocketShardDestroyRecovery.Reconnect,
    };
    clearTimeout(resumeLimit);
    resumeLimit = setTimeout(() => void made.destroy(giveUp), SESSION_TIMEOUT_MS);
  }

  function begun(): void {
    clearTimeout(resumeLimit);
    hear();
    state = 'ready';
    attemptsSinceSession.connections = 0;
    attemptsSinceSession.identifies = 0;
  }

  async function end(
    ended: WebSocketShard,
    destroy: WebSocketShard['destroy'],
    { code, reason, recover }: WebSocketShardDestroyOptions = {},
  ): Promise<void> {
    // The library still has pending work after a connection has ended, and tries to end the connection again.
    if (connection !== ended) return;
    connection = undefined;
    clearTimeout(resumeLimit);
    const isResumable = recover === WebSocketShardDestroyRecovery.Resume;
    await close(ended, () =>
      destroy({ code: code ?? (isResumable ? CloseCodes.Resuming : CloseCodes.Normal) }),
    );
    if (recover === undefined || leaving.signal.aborted) return;

    if (state === 'connecting') attemptsSinceSession.connections += 1;
    if (!isResumable || attemptsSinceSession.connections >= MAX_CONNECTIONS_WITHOUT_SESSION) session = null;
    const pauseMs = Math.max(
      MIN_PAUSE_MS,
      pauseAfter(attemptsSinceSession.connections, MAX_PAUSE_MS),
      pauseAfter(attemptsSinceSession.identifies, MAX_IDENTIFY_PAUSE_MS),
    );
    const about = { shard: id, code, reason, againInSeconds: pauseMs / 1000 };
    if (state === 'ready') log.info(about, 'reconnecting to Discord');
    else log.warn({ ...about, attemptsSinceSession }, 'a connection to Discord ended without a session');

    state = 'connecting';
    heardAt = undefined;
    await sleep(pauseMs, undefined, { signal: leaving.signal }).catch(() => undefined);
    if (leaving.signal.aborted) return;
    if (hasIdentified) hear();
    connect();
  }

  return {
    connect,
    state: () => state,
    silentMs: () => (heardAt === undefined ? 0 : performance.now() - heardAt),
    async leave(): Promise<void> {
      leaving.abort();
      await connection?.destroy();
    },
  };
}

/** Closes a connection as the library does, but also works if the connection is dead or not yet open. */
async function close(connection: WebSocketShard, destroy: () => Promise<void>): Promise<void> {
  interface Socket {
    on(event: 'error', listener: () => void): void;
    terminate(): void;
  }
  const socket: Socket | null = Reflect.get(connection, 'connection');
  // A socket that is closed before it has opened emits an error. The library no longer listens for errors.
  socket?.on('error', () => undefined);
  const limit = setTimeout(() => socket?.terminate(), CLOSE_TIMEOUT_MS);
  await destroy();
  clearTimeout(limit);
  socket?.terminate();
}

function pauseAfter(failures: number, maxMs: number): number {
  return failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), maxMs);
}
