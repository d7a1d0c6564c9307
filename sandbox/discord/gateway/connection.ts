import {
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayIdentifyData,
  GatewayOpcodes,
  type GatewayResumeData,
  type GatewaySendPayload,
} from 'discord.js';
import type { RawData, WebSocket } from 'ws';
import type { IdentifyLimit } from './identify.ts';
import type { Session, Sessions } from './sessions.ts';

/** Settings that a test can change while bots are connected. */
export interface GatewaySettings {
  readonly heartbeatIntervalMs: number;
  /** Whether the gateway has stopped sending. */
  isSilent: boolean;
  /** The response to IDENTIFY: READY, none, or op 9. */
  identifyAnswer: 'ready' | 'nothing' | 'invalid session';
  /** Whether the gateway responds to RESUME. */
  answersResume: boolean;
}

/** How many requests the bots have made so far. */
export interface GatewayCounts {
  /** Connections to the main URL, not counting those to the resume URL. */
  connections: number;
  connectionsToResume: number;
  identifies: number;
  resumes: number;
}

interface ConnectionDeps {
  readonly sessions: Sessions;
  readonly limit: IdentifyLimit;
  readonly settings: GatewaySettings;
  readonly counts: GatewayCounts;
  readonly token: string;
  /** Builds the READY event of a session. */
  readonly ready: (session: Session) => object;
  /** Called with every payload that is sent or received. */
  readonly onFrame: (from: 'bot' | 'discord', text: string) => void;
  /** Called after a connection has been closed because the bot broke a rule. */
  readonly onBreach: (why: GatewayCloseCodes) => void;
}

export type Connection = ReturnType<typeof createConnection>;

/** Handles a connection from a bot: sends HELLO, then waits for IDENTIFY or RESUME. */
export function createConnection(socket: WebSocket, deps: ConnectionDeps) {
  const { sessions, limit, settings, counts, token, onFrame } = deps;
  let session: Session | undefined;
  /** The shard of an IDENTIFY that the gateway hasn't responded to yet. */
  let waiting: Session['shard'] | undefined;
  let closedByUs = false;

  function write(text: string): void {
    if (settings.isSilent) return;
    onFrame('discord', text);
    socket.send(text);
  }
  const send = (op: GatewayOpcodes, d: unknown) => write(JSON.stringify({ op, d, s: null, t: null }));

  function close(code: number, reason = ''): void {
    closedByUs = true;
    socket.close(code, reason);
  }
  function closeForBreach(why: GatewayCloseCodes): void {
    deps.onBreach(why);
    close(why, GatewayCloseCodes[why]);
  }

  // This timer runs in real time. On the stand-in's clock, skipping 15 minutes would look like 15 minutes without a
  // heartbeat.
  const silence = setTimeout(() => {
    if (!settings.isSilent) closeForBreach(GatewayCloseCodes.SessionTimedOut);
  }, settings.heartbeatIntervalMs * 1.5);

  /** @returns a close code if Discord would close the connection because of this payload */
  function understand(payload: GatewaySendPayload): GatewayCloseCodes | undefined {
    switch (payload.op) {
      case GatewayOpcodes.Heartbeat:
        silence.refresh();
        if (typeof payload.d === 'number') session?.forgetUntil(payload.d);
        send(GatewayOpcodes.HeartbeatAck, null);
        return undefined;
      case GatewayOpcodes.Identify:
        return identify(payload.d);
      case GatewayOpcodes.Resume:
        return resume(payload.d);
      default:
        return GatewayCloseCodes.UnknownOpcode;
    }
  }

  function identify(asked: GatewayIdentifyData): GatewayCloseCodes | undefined {
    if (session !== undefined) return GatewayCloseCodes.AlreadyAuthenticated;
    if (asked.token !== token) return GatewayCloseCodes.AuthenticationFailed;
    // Rejects all intents, because this bot doesn't request any.
    if (asked.intents !== 0) return GatewayCloseCodes.InvalidIntents;
    const [id, count] = asked.shard ?? [0, 1];
    if (id >= count) return GatewayCloseCodes.InvalidShard;
    counts.identifies += 1;
    switch (limit.take(id)) {
      case 'exhausted':
        return GatewayCloseCodes.AuthenticationFailed;
      case 'throttled':
        send(GatewayOpcodes.InvalidSession, false);
        return undefined;
      case 'ok':
        if (settings.identifyAnswer === 'invalid session') send(GatewayOpcodes.InvalidSession, false);
        else waiting = [id, count];
        if (settings.identifyAnswer === 'ready') beginSession();
        return undefined;
    }
  }

  function beginSession(): void {
    if (waiting === undefined) return;
    session = sessions.open(waiting);
    waiting = undefined;
    session.attach(write);
    session.dispatch(GatewayDispatchEvents.Ready, deps.ready(session));
  }

  function resume(asked: GatewayResumeData): GatewayCloseCodes | undefined {
    if (asked.token !== token) return GatewayCloseCodes.AuthenticationFailed;
    counts.resumes += 1;
    if (!settings.answersResume) return undefined;
    const found = sessions.get(asked.session_id);
    if (found === undefined) send(GatewayOpcodes.InvalidSession, false);
    else if (asked.seq > found.seq()) return GatewayCloseCodes.InvalidSeq;
    else {
      session = found;
      found.attach(write);
      found.replay(asked.seq);
      found.dispatch(GatewayDispatchEvents.Resumed, {});
    }
    return undefined;
  }

  socket.on('message', (data: RawData) => {
    if (closedByUs) return;
    onFrame('bot', String(data));
    const why = understand(JSON.parse(String(data)));
    if (why !== undefined) closeForBreach(why);
  });
  // Nothing to do: every error is followed by `close`.
  socket.on('error', () => {});
  socket.on('close', (code) => {
    clearTimeout(silence);
    if (session === undefined || sessions.get(session.id) === undefined) return;
    // When a client closes the connection with 1000 or 1001, Discord ends the session.
    if (!closedByUs && (code === 1000 || code === 1001)) sessions.end(session.id);
    else session.detach(write);
  });
  send(GatewayOpcodes.Hello, { heartbeat_interval: settings.heartbeatIntervalMs });

  return {
    session: () => session,
    send,
    close,
    /** Sends READY if the bot is waiting for a response to IDENTIFY. */
    beginSession,
    /** Sends op 9 (Invalid Session). The client may RESUME a `resumable` session; otherwise, it must IDENTIFY again. */
    invalidate(resumable: boolean): void {
      if (session !== undefined && resumable) session.detach(write);
      else if (session !== undefined) sessions.end(session.id);
      session = undefined;
      send(GatewayOpcodes.InvalidSession, resumable);
    },
    /** Keeps the connection open, but stops all traffic. */
    die(): void {
      closedByUs = true;
      clearTimeout(silence);
      if (session !== undefined) session.detach(write);
      socket.pause();
    },
    /** Drops the connection without a close frame. */
    cut(): void {
      closedByUs = true;
      socket.terminate();
    },
  };
}
