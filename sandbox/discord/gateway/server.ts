import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type GatewayCloseCodes,
  GatewayDispatchEvents,
  GatewayOpcodes,
  type GatewayReadyDispatchData,
} from 'discord.js';
import { WebSocketServer } from 'ws';
import type { Endpoint } from '../endpoint.ts';
import { shardOf } from '../world/snowflakes.ts';
import type { World } from '../world/world.ts';
import { type Connection, createConnection, type GatewayCounts, type GatewaySettings } from './connection.ts';
import { createIdentifyLimit, type IdentifyLimitOptions } from './identify.ts';
import { createSessions, type Session } from './sessions.ts';

export interface GatewayOptions extends IdentifyLimitOptions {
  /** The number of shards that `GET /gateway/bot` recommends. The default is 1. */
  readonly shards?: number;
  /** The heartbeat interval. The default is 41,250, as on the real Discord. */
  readonly heartbeatIntervalMs?: number;
}

interface GatewayDeps {
  readonly options: GatewayOptions;
  readonly server: Server;
  readonly world: World;
  readonly url: () => string;
  readonly token: string;
  readonly onFrame: (from: 'bot' | 'discord', text: string) => void;
  readonly onBreach: (why: GatewayCloseCodes) => void;
  /** If the endpoint has a URL, interactions are posted to that URL instead of being sent to sessions. */
  readonly endpoint: Pick<Endpoint, 'url' | 'post'>;
}

/** How later interactions are disturbed: repeated, dropped, delayed or changed. */
interface Disturbance {
  readonly copies?: number;
  readonly delayMs?: number;
  readonly alter?: (payload: object) => object;
}

/** Discord's types don't have a constant for "no flags". */
const NO_FLAGS: number = 0;

/** The path of the resume URL in READY. The real Discord uses a separate host. */
const RESUME_PATH = '/resume';

/** Creates the gateway on the same port as the REST API. */
export function createGateway(deps: GatewayDeps) {
  const { options, server, world, url, token, onFrame, onBreach, endpoint } = deps;
  const { clock } = world;
  const { shards = 1, heartbeatIntervalMs = 41_250 } = options;
  const sessions = createSessions({ clock });
  const limit = createIdentifyLimit(clock, options);
  const settings: GatewaySettings = {
    heartbeatIntervalMs,
    isSilent: false,
    identifyAnswer: 'ready',
    answersResume: true,
  };
  const counts: GatewayCounts = { connections: 0, connectionsToResume: 0, identifies: 0, resumes: 0 };
  const connections = new Set<Connection>();
  const sockets = new WebSocketServer({ noServer: true });
  let disturbance: Disturbance = {};
  let isResumeHostDead = false;

  /** All of the shard's guilds start as unavailable (Discord docs: Ready Event Fields). */
  const ready = ({ id, shard }: Session): GatewayReadyDispatchData => ({
    v: 10,
    user: { ...world.bot, mfa_enabled: false, verified: true, email: null },
    guilds: world.guilds
      .joined()
      .filter((guild) => shardOf(guild.id, shard[1]) === shard[0])
      .map((guild) => ({ id: guild.id, unavailable: true })),
    session_id: id,
    resume_gateway_url: `${url()}${RESUME_PATH}`,
    shard: [...shard],
    application: { id: world.applicationId, flags: NO_FLAGS, flags_new: '0' },
  });

  // If ws's `{ server }` option were used instead, a failure to listen would also be an unhandled error in ws.
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const isToResume = request.url?.startsWith(`${RESUME_PATH}?`) === true;
    if (isToResume) counts.connectionsToResume += 1;
    else counts.connections += 1;
    if (isToResume && isResumeHostDead) {
      // The client might drop the connection before it is rejected.
      socket.on('error', () => {});
      socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = createConnection(webSocket, {
        sessions,
        limit,
        settings,
        counts,
        token,
        ready,
        onFrame,
        onBreach,
      });
      connections.add(connection);
      webSocket.on('close', () => connections.delete(connection));
    });
  });

  const each = (act: (connection: Connection) => void) => (): void => {
    for (const connection of connections) act(connection);
  };
  const cut = each((connection) => connection.cut());
  const identified = () => [...connections].filter((connection) => connection.session() !== undefined);

  return {
    controls: {
      /** Returns the sessions that are connected. */
      sessions: () => sessions.all().filter((session) => session.connected()),
      /** Closes a shard's connections, or all connections, with any close code. */
      close(code: number, { shard }: { readonly shard?: number } = {}) {
        for (const connection of identified()) {
          if (shard === undefined || connection.session()?.shard[0] === shard) connection.close(code);
        }
      },
      /** Drops all connections without a close frame, as a network failure would. */
      cut,
      /** Sends op 7 (Reconnect) to all sessions. */
      askToReconnect: each(({ send }) => send(GatewayOpcodes.Reconnect, null)),
      /** Sends op 9 (Invalid Session) to all sessions, and ends them unless they're `resumable`. */
      invalidate(resumable: boolean) {
        for (const connection of identified()) connection.invalidate(resumable);
      },
      /** Sends op 1 (Heartbeat) to all sessions. */
      requestHeartbeat: each(({ send }) => send(GatewayOpcodes.Heartbeat, null)),
      /** Stops sending on existing and new connections, but keeps them open. */
      silence(yes: boolean) {
        settings.isSilent = yes;
        // Clients that connected during the silence never received HELLO, so all connections are cut.
        if (!yes) cut();
      },
      /** Makes the resume URL reject all connections. */
      killResumeHost(yes: boolean) {
        isResumeHostDead = yes;
      },
      /** Sets how the gateway responds to IDENTIFY. `ready` also answers clients that are still waiting. */
      answerIdentify(how: GatewaySettings['identifyAnswer']) {
        settings.identifyAnswer = how;
        if (how === 'ready') for (const connection of connections) connection.beginSession();
      },
      /** Makes the identify limit ignore all earlier IDENTIFYs. */
      waiveIdentifyLimit: limit.waive,
      answerResume(yes: boolean) {
        settings.answersResume = yes;
      },
      /** Silently kills all existing connections: they stay open, but nothing gets through. */
      killLines: each((connection) => connection.die()),
      counts: (): Readonly<GatewayCounts> => ({ ...counts }),
      disturbDispatch(how: Disturbance) {
        disturbance = how;
      },
    },
    /** Sends an interaction over the gateway or to the endpoint, after applying the test's disturbance. */
    dispatch(payload: object, guildId: string): void {
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
    /** Returns the body of `GET /gateway/bot`. */
    connectionInfo: () => ({ url: url(), shards, session_start_limit: limit.status() }),
    stop(): void {
      cut();
      sockets.close();
    },
  };
}
