import { GatewayDispatchEvents, GatewayOpcodes } from 'discord.js';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../world/clock.ts';
import type { IdentifyLimit } from './identify.ts';
import {
  type Closing,
  closing,
  type Identify,
  PAYLOADS_A_MINUTE,
  type Resume,
  readFrame,
  shardSchema,
} from './protocol.ts';
import type { Session, Sessions } from './sessions.ts';

/** What a test may change while bots are connected. */
export interface GatewaySettings {
  readonly heartbeatIntervalMs: number;
  /** Heartbeats are not answered, so that a bot must notice a dead connection. */
  withholdAcks: boolean;
  /** Nothing is sent. */
  isSilent: boolean;
}

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly limit: IdentifyLimit;
  readonly settings: GatewaySettings;
  readonly token: () => string;
  /** What READY says to a session. */
  readonly ready: (session: Session) => object;
  /** The thousandth IDENTIFY of the day costs all sessions and the token. */
  readonly exhausted: () => void;
  /** Every payload in either direction. */
  readonly onFrame: (from: 'bot' | 'discord', text: string) => void;
  /** The bot broke a rule, and the connection was closed for it. */
  readonly onBreach: (why: Closing) => void;
}

export interface Connection {
  readonly session: () => Session | undefined;
  send(opcode: GatewayOpcodes, d: unknown): void;
  close(code: number, reason: string): void;
  /** op 9: the session is taken from the connection, which may RESUME it when it is `resumable`, or IDENTIFY. */
  invalidate(resumable: boolean): void;
  /** Cuts the connection without a close frame. */
  cut(): void;
}

export function createConnection(socket: WebSocket, deps: ConnectionDeps): Connection {
  const { clock, sessions, limit, settings, token, onFrame } = deps;
  let session: Session | undefined;
  let closedByUs = false;
  /** When the payloads of the last minute came. */
  let arrivals: readonly number[] = [];

  function write(text: string): void {
    if (settings.isSilent) return;
    onFrame('discord', text);
    socket.send(text);
  }
  const send = (op: GatewayOpcodes, d: unknown) => write(JSON.stringify({ op, d, s: null, t: null }));

  function close(code: number, reason: string): void {
    closedByUs = true;
    socket.close(code, reason);
  }
  function refuse(why: Closing): void {
    deps.onBreach(why);
    close(...why);
  }

  // In real time, and not the clock's: a jump of 15 minutes must not look like 15 minutes without a heartbeat.
  const silence = setTimeout(() => {
    if (!settings.isSilent) refuse(closing.sessionTimedOut);
  }, settings.heartbeatIntervalMs * 1.5);

  /** @returns why the connection is closed for this payload, if it is */
  function understand(text: string): Closing | undefined {
    const now = clock.now();
    arrivals = [...arrivals.filter((at) => at > now - 60_000), now];
    if (arrivals.length > PAYLOADS_A_MINUTE) return closing.rateLimited;
    const frame = readFrame(text);
    if (frame === undefined) return closing.decodeError;
    switch (frame.op) {
      case GatewayOpcodes.Heartbeat:
        silence.refresh();
        if (typeof frame.d === 'number') session?.forgetUntil(frame.d);
        if (!settings.withholdAcks) send(GatewayOpcodes.HeartbeatAck, null);
        return undefined;
      case GatewayOpcodes.Identify:
        return identify(frame.d);
      case GatewayOpcodes.Resume:
        return resume(frame.d);
      case 'other':
        return session === undefined ? closing.notAuthenticated : closing.unknownOpcode;
    }
  }

  function identify(asked: Identify): Closing | undefined {
    if (session !== undefined) return closing.alreadyAuthenticated;
    if (asked.token !== token()) return closing.authenticationFailed;
    // This bot asks for no intents; no events of intents are served.
    if (asked.intents !== 0) return closing.invalidIntents;
    const shard = shardSchema.safeParse(asked.shard ?? [0, 1]);
    if (!shard.success) return closing.invalidShard;
    switch (limit.take(shard.data[0])) {
      case 'exhausted':
        deps.exhausted();
        return closing.authenticationFailed;
      case 'throttled':
        send(GatewayOpcodes.InvalidSession, false);
        return undefined;
      case 'ok':
        session = sessions.open(shard.data);
        session.attach(write);
        session.dispatch(GatewayDispatchEvents.Ready, deps.ready(session));
        return undefined;
    }
  }

  function resume(asked: Resume): Closing | undefined {
    if (session !== undefined) return closing.alreadyAuthenticated;
    if (asked.token !== token()) return closing.authenticationFailed;
    const found = sessions.get(asked.session_id);
    const seq = asked.seq ?? 0;
    if (found === undefined) send(GatewayOpcodes.InvalidSession, false);
    else if (seq > found.seq()) return closing.invalidSeq;
    else {
      session = found;
      found.attach(write);
      found.replay(seq);
      found.dispatch(GatewayDispatchEvents.Resumed, {});
    }
    return undefined;
  }

  socket.on('message', (data: RawData) => {
    if (closedByUs) return;
    const text = String(data);
    onFrame('bot', text);
    const why = understand(text);
    if (why !== undefined) refuse(why);
  });
  // A broken connection is seen by its 'close'; the error says nothing more.
  socket.on('error', () => {});
  socket.on('close', (code) => {
    clearTimeout(silence);
    if (session === undefined || sessions.get(session.id) === undefined) return;
    // A client that leaves with 1000 or 1001 gives its session up.
    if (!closedByUs && (code === 1000 || code === 1001)) sessions.end(session.id);
    else session.detach(write);
  });
  send(GatewayOpcodes.Hello, { heartbeat_interval: settings.heartbeatIntervalMs });

  return {
    session: () => session,
    send,
    close,
    invalidate(resumable) {
      if (session !== undefined && resumable) session.detach(write);
      else if (session !== undefined) sessions.end(session.id);
      session = undefined;
      send(GatewayOpcodes.InvalidSession, resumable);
    },
    cut() {
      closedByUs = true;
      socket.terminate();
    },
  };
}
