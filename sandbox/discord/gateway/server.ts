import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { LoopbackServer } from '../../loopback-server.ts';
import type { Clock } from '../world/clock.ts';
import type { World } from '../world/world.ts';
import { type Connection, createConnection, type GatewaySettings } from './connection.ts';
import { createIdentifyLimit } from './identify.ts';
import { guildCreate, ready } from './payloads.ts';
import { type Closing, closing, GUILDS, op } from './protocol.ts';
import { createSessions, type GatewayEvent, type Session, type Shard } from './sessions.ts';

export interface GatewayDeps {
  readonly server: LoopbackServer['server'];
  readonly world: World;
  readonly url: () => string;
  readonly token: () => string;
  readonly replaceToken: (token: string) => void;
  readonly shards: number;
  readonly maxConcurrency: number;
  readonly identifiesUsed: number | undefined;
  readonly heartbeatIntervalMs: number;
  readonly grantedIntents: number;
  readonly onFrame: (from: 'bot' | 'discord', text: string) => void;
  readonly onBreach: (rule: number, what: string, closing: Closing) => void;
}

export interface Gateway {
  publish(event: GatewayEvent): void;
  readonly connectionInfo: () => {
    url: string;
    shards: number;
    session_start_limit: { total: number; remaining: number; reset_after: number; max_concurrency: number };
  };
  /** Sessions with a connection. */
  readonly sessions: () => readonly {
    readonly shard: Shard;
    readonly intents: number;
    readonly id: string;
  }[];
  /** Closes connections with any code; all of them when no shard is named. */
  close(code: number, options?: { readonly reason?: string; readonly shard?: number }): void;
  /** Cuts them without a word, as a network does. */
  cut(): void;
  /** op 7. */
  askToReconnect(): void;
  /** op 9. The sessions are gone when it is not `resumable`. */
  invalidate(resumable: boolean): void;
  /** op 1. */
  requestHeartbeat(): void;
  withholdAcks(yes: boolean): void;
  /** Nothing is said any more, to those who are connected and those who come: the connections stay open. */
  silence(yes: boolean): void;
  stop(): void;
}

/** Rules 46 to 55: the gateway, on the same port as the REST API. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { server, world, url, token, shards, maxConcurrency } = deps;
  const sessions = createSessions(world);
  const limit = createIdentifyLimit({ clock: world.clock, maxConcurrency, used: deps.identifiesUsed });
  const settings: GatewaySettings = {
    heartbeatIntervalMs: deps.heartbeatIntervalMs,
    grantedIntents: deps.grantedIntents,
    withholdAcks: false,
    isSilent: false,
  };
  const connections = new Set<Connection>();
  const sockets = new WebSocketServer({ noServer: true });

  function welcome(session: Session): void {
    session.dispatch('READY', ready(world, session, url()));
    if ((session.intents & GUILDS) === 0) return;
    for (const { id } of ready(world, session, url()).guilds) {
      const guild = world.guilds.get(id);
      if (guild?.status === 'available') session.dispatch('GUILD_CREATE', guildCreate(world, guild));
    }
  }

  function exhausted(): void {
    // No token is right any more; its owner would have to ask for another.
    deps.replaceToken(randomUUID());
    for (const { id } of sessions.all()) sessions.end(id);
    for (const connection of connections) connection.close(...closing.authenticationFailed);
  }

  function accept(socket: WebSocket, request: IncomingMessage): void {
    const query = new URL(request.url ?? '/', 'ws://stand-in').searchParams;
    // Rule 47.
    if (!['9', '10'].includes(query.get('v') ?? '')) {
      deps.onBreach(47, `v=${query.get('v')}`, closing.invalidApiVersion);
      socket.close(...closing.invalidApiVersion);
      return;
    }
    if ((query.get('encoding') ?? 'json') !== 'json' || query.has('compress')) {
      socket.close(closing.decodeError[0], 'The stand-in speaks JSON without compression only.');
      return;
    }
    const connection = createConnection(socket, {
      world,
      sessions,
      limit,
      settings,
      token,
      welcome,
      exhausted,
      onFrame: deps.onFrame,
      onBreach: deps.onBreach,
    });
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  }

  // Not by `{ server }`, which would make an error of `listen` one of the gateway, heard by nobody.
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, request));
  });

  return {
    publish: sessions.publish,
    connectionInfo: () => ({ url: url(), shards, session_start_limit: limit.status() }),
    sessions: () => sessions.all().filter((session) => session.connected()),
    ...mishaps(connections, settings),
    stop() {
      for (const connection of connections) connection.cut();
      sockets.close();
    },
  };
}

/** What a test may do to the connections there are (rules 46 and 55). */
function mishaps(
  connections: ReadonlySet<Connection>,
  settings: GatewaySettings,
): Omit<Gateway, 'publish' | 'connectionInfo' | 'sessions' | 'stop'> {
  const identified = (shard?: number) =>
    [...connections].filter((connection) => {
      const session = connection.session();
      return session !== undefined && (shard === undefined || session.shard[0] === shard);
    });
  return {
    close(code, { reason = '', shard } = {}) {
      for (const connection of identified(shard)) connection.close(code, reason);
    },
    cut() {
      for (const connection of connections) connection.cut();
    },
    askToReconnect() {
      for (const connection of connections) connection.send(op.reconnect, null);
    },
    invalidate(resumable) {
      for (const connection of identified()) connection.invalidate(resumable);
    },
    requestHeartbeat() {
      for (const connection of connections) connection.send(op.heartbeat, null);
    },
    silence(yes) {
      settings.isSilent = yes;
      // Who came meanwhile was not even greeted.
      if (!yes) for (const connection of connections) connection.cut();
    },
    withholdAcks(yes) {
      settings.withholdAcks = yes;
    },
  };
}

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
