import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayDispatchEvents, GatewayOpcodes } from 'discord.js';
import { type WebSocket, WebSocketServer } from 'ws';
import type { LoopbackServer } from '../../loopback-server.ts';
import type { Endpoint } from '../endpoint.ts';
import { shardOf } from '../world/snowflakes.ts';
import type { World } from '../world/world.ts';
import { type Connection, createConnection, type GatewaySettings } from './connection.ts';
import { createIdentifyLimit, type IdentifyLimitOptions } from './identify.ts';
import { type Closing, closing } from './protocol.ts';
import { createSessions, type Session, type Shard } from './sessions.ts';

export interface GatewayOptions extends IdentifyLimitOptions {
  /** The number of shards that `GET /gateway/bot` recommends; 1. */
  readonly shards?: number;
  /** 41,250, as Discord's. */
  readonly heartbeatIntervalMs?: number;
}

export interface GatewayDeps {
  readonly options: GatewayOptions;
  readonly server: LoopbackServer['server'];
  readonly world: World;
  readonly url: () => string;
  readonly token: () => string;
  readonly replaceToken: (token: string) => void;
  readonly onFrame: (from: 'bot' | 'discord', text: string) => void;
  readonly onBreach: (why: Closing) => void;
  /** Where interactions go in place of the sessions, once it has a URL. */
  readonly endpoint: Pick<Endpoint, 'url' | 'post'>;
}

/** What happens to the next interactions: sent so often (0: never), so much later, with another payload. */
export interface Disturbance {
  readonly copies?: number;
  readonly delayMs?: number;
  readonly alter?: (payload: object) => object;
}

/** What a test can do to the gateway. */
export interface GatewayControls {
  /** Sessions with a connection. */
  sessions(): readonly { readonly shard: Shard; readonly id: string }[];
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
  disturbDispatch(how: Disturbance): void;
  /** From now on this is the token: the old one is refused with 401 and 4004. */
  replaceToken(token: string): void;
}

export interface Gateway {
  readonly controls: GatewayControls;
  /** Sends an interaction, over the gateway or to the endpoint, as it should or as a test has disturbed it. */
  dispatch(payload: object, guildId: string): void;
  /** For `GET /gateway/bot`. */
  connectionInfo(): { readonly url: string; readonly shards: number; readonly session_start_limit: object };
  stop(): void;
}

/** The gateway, on the same port as the REST API. */
export function createGateway(deps: GatewayDeps): Gateway {
  const { options, server, world, url, token, replaceToken, onFrame, onBreach, endpoint } = deps;
  const { clock } = world;
  const { shards = 1, heartbeatIntervalMs = 41_250 } = options;
  const sessions = createSessions({ clock });
  const limit = createIdentifyLimit(clock, options);
  const settings: GatewaySettings = { heartbeatIntervalMs, withholdAcks: false, isSilent: false };
  const connections = new Set<Connection>();
  const sockets = new WebSocketServer({ noServer: true });
  let disturbance: Disturbance = {};

  /** Discord docs: Ready Event Fields. All guilds of the shard are unavailable at first. */
  const ready = ({ id, shard }: Session) => ({
    v: 10,
    user: { ...world.bot, mfa_enabled: false, verified: true, email: null },
    guilds: world.guilds
      .joined()
      .filter((guild) => shardOf(guild.id, shard[1]) === shard[0])
      .map((guild) => ({ id: guild.id, unavailable: true })),
    session_id: id,
    resume_gateway_url: url(),
    shard,
    application: { id: world.applicationId, flags: 0 },
  });

  function exhausted(): void {
    // No token is right any more; its owner would have to ask for another.
    replaceToken(randomUUID());
    for (const { id } of sessions.all()) sessions.end(id);
    for (const connection of connections) connection.close(...closing.authenticationFailed);
  }

  function accept(socket: WebSocket, request: IncomingMessage): void {
    const query = new URL(request.url ?? '/', 'ws://stand-in').searchParams;
    if (query.get('v') !== '10') {
      onBreach(closing.invalidApiVersion);
      socket.close(...closing.invalidApiVersion);
      return;
    }
    if (query.get('encoding') !== 'json' || query.has('compress')) {
      socket.close(closing.decodeError[0], 'The stand-in speaks JSON without compression only.');
      return;
    }
    const connection = createConnection(socket, {
      clock,
      sessions,
      limit,
      settings,
      token,
      ready,
      exhausted,
      onFrame,
      onBreach,
    });
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  }

  // Not by `{ server }`, which would make an error of `listen` one of the gateway, heard by nobody.
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, request));
  });

  const identified = () => [...connections].filter((connection) => connection.session() !== undefined);

  return {
    controls: {
      sessions: () => sessions.all().filter((session) => session.connected()),
      close(code, { reason = '', shard } = {}) {
        for (const connection of identified()) {
          if (shard === undefined || connection.session()?.shard[0] === shard) connection.close(code, reason);
        }
      },
      cut() {
        for (const connection of connections) connection.cut();
      },
      askToReconnect() {
        for (const connection of connections) connection.send(GatewayOpcodes.Reconnect, null);
      },
      invalidate(resumable) {
        for (const connection of identified()) connection.invalidate(resumable);
      },
      requestHeartbeat() {
        for (const connection of connections) connection.send(GatewayOpcodes.Heartbeat, null);
      },
      withholdAcks(yes) {
        settings.withholdAcks = yes;
      },
      silence(yes) {
        settings.isSilent = yes;
        // Who came meanwhile was not even greeted.
        if (!yes) for (const connection of connections) connection.cut();
      },
      disturbDispatch(how) {
        disturbance = how;
      },
      replaceToken,
    },
    dispatch(payload, guildId) {
      const { copies = 1, delayMs = 0, alter } = disturbance;
      const altered = alter ? alter(structuredClone(payload)) : payload;
      const send = () => {
        if (endpoint.url() !== undefined) endpoint.post(altered);
        else sessions.publish(GatewayDispatchEvents.InteractionCreate, altered, guildId);
      };
      for (let copy = 0; copy < copies; copy += 1) {
        if (delayMs === 0) send();
        else clock.setTimeout(send, delayMs);
      }
    },
    connectionInfo: () => ({ url: url(), shards, session_start_limit: limit.status() }),
    stop() {
      for (const connection of connections) connection.cut();
      sockets.close();
    },
  };
}
