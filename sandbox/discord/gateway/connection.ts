import type { RawData, WebSocket } from 'ws';
import type { World } from '../world/world.ts';
import { type IdentifyLimit, readIdentify } from './identify.ts';
import { TRACE } from './payloads.ts';
import {
  type Closing,
  closing,
  heartbeatSchema,
  identifySchema,
  type Offence,
  offence,
  op,
  PAYLOADS_A_MINUTE,
  QUIETLY_TAKEN,
  readFrame,
  resumeSchema,
} from './protocol.ts';
import type { Session, Sessions } from './sessions.ts';

/** What a test may change while bots are connected. */
export interface GatewaySettings {
  readonly heartbeatIntervalMs: number;
  /** The privileged intents the application was granted. */
  readonly grantedIntents: number;
  /** Rule 46: heartbeats are not answered, so that a bot must notice a dead connection. */
  withholdAcks: boolean;
  /** Nothing is sent. */
  isSilent: boolean;
}

export interface ConnectionDeps {
  readonly world: World;
  readonly sessions: Sessions;
  readonly limit: IdentifyLimit;
  readonly settings: GatewaySettings;
  readonly token: () => string;
  /** What READY says, and what follows it. */
  readonly welcome: (session: Session) => void;
  /** Rule 48: the thousandth IDENTIFY of the day costs all sessions and the token. */
  readonly exhausted: () => void;
  /** Every payload in either direction; those of the client are searched for secrets. */
  readonly onFrame: (from: 'bot' | 'discord', text: string) => void;
  /** A rule was broken and the connection closed for it. */
  readonly onBreach: (rule: number, what: string, closing: Closing) => void;
}

export interface Connection {
  readonly session: () => Session | undefined;
  send(opcode: number, d: unknown): void;
  close(code: number, reason: string): void;
  /** op 9: the session is taken from the connection, which may RESUME it when it is `resumable`, or IDENTIFY. */
  invalidate(resumable: boolean): void;
  /** Cuts the connection without a close frame. */
  cut(): void;
}

export function createConnection(socket: WebSocket, deps: ConnectionDeps): Connection {
  const { sessions, settings, onFrame } = deps;
  const state: ConnectionState = { session: undefined, closedByUs: false };
  const write = (text: string) => {
    if (settings.isSilent) return;
    onFrame('discord', text);
    socket.send(text);
  };
  const send = (opcode: number, d: unknown) => write(JSON.stringify({ op: opcode, d, s: null, t: null }));
  const close = (code: number, reason: string) => {
    state.closedByUs = true;
    socket.close(code, reason);
  };
  function refuse({ rule, what, closing: why }: Offence): void {
    deps.onBreach(rule, what, why);
    close(...why);
  }
  const silence = createSilence(settings, () => refuse(offence('no heartbeat', closing.sessionTimedOut)));
  const understand = createUnderstanding(state, { ...deps, write, send, heard: silence.await });

  socket.on('message', (data: RawData) => {
    if (state.closedByUs) return;
    const text = String(data);
    onFrame('bot', text);
    const wrong = understand(text);
    if (wrong !== undefined) refuse(wrong);
  });
  // A broken connection is seen by its 'close'; the error says nothing more.
  socket.on('error', () => {});
  socket.on('close', (code) => {
    silence.end();
    const { session, closedByUs } = state;
    if (session === undefined || sessions.get(session.id) === undefined) return;
    // Rule 54: a client that leaves with 1000 or 1001 gives its session up.
    if (!closedByUs && (code === 1000 || code === 1001)) sessions.end(session.id);
    else session.detach(write);
  });
  send(op.hello, { heartbeat_interval: settings.heartbeatIntervalMs, _trace: TRACE });
  silence.await();

  return {
    session: () => state.session,
    send,
    close,
    invalidate(resumable) {
      const { session } = state;
      if (session !== undefined && resumable) session.detach(write);
      else if (session !== undefined) sessions.end(session.id);
      state.session = undefined;
      send(op.invalidSession, resumable);
    },
    cut() {
      state.closedByUs = true;
      socket.terminate();
    },
  };
}

interface ConnectionState {
  session: Session | undefined;
  closedByUs: boolean;
}

/** Waits for heartbeats. In real time, not the clock's: a jump of 15 minutes must not look like 15 minutes of silence. */
function createSilence(settings: GatewaySettings, onSilence: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    /** The next one is due from now. */
    await(): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!settings.isSilent) onSilence();
      }, settings.heartbeatIntervalMs * 1.5);
    },
    end: () => clearTimeout(timer),
  };
}

interface UnderstandingDeps
  extends Pick<
    ConnectionDeps,
    'world' | 'sessions' | 'limit' | 'settings' | 'token' | 'welcome' | 'exhausted'
  > {
  readonly write: (text: string) => void;
  readonly send: Connection['send'];
  readonly heard: () => void;
}

/** What a payload of the bot does. It tells the rule that the payload breaks. */
function createUnderstanding(state: ConnectionState, deps: UnderstandingDeps) {
  let sentTimes: readonly number[] = [];

  /** Rule 47: payloads that no operation may break. */
  return function understand(text: string): Offence | undefined {
    const now = deps.world.clock.now();
    sentTimes = [...sentTimes.filter((at) => at > now - 60_000), now];
    if (sentTimes.length > PAYLOADS_A_MINUTE)
      return offence('more than 120 payloads a minute', closing.rateLimited);
    const frame = readFrame(text);
    if (frame === undefined) return offence('payload', closing.decodeError);
    const { op: opcode, d } = frame;
    if (opcode === op.heartbeat) return heartbeat(d, state, deps);
    if (opcode === op.identify) return identify(d, state, deps);
    if (opcode === op.resume) return resume(d, state, deps);
    if (state.session === undefined) return offence(`op ${opcode}`, closing.notAuthenticated);
    return QUIETLY_TAKEN.has(opcode) ? undefined : offence(`op ${opcode}`, closing.unknownOpcode);
  };
}

function heartbeat(
  d: unknown,
  { session }: ConnectionState,
  { settings, send, heard }: UnderstandingDeps,
): Offence | undefined {
  const last = heartbeatSchema.safeParse(d);
  if (!last.success) return offence('heartbeat', closing.decodeError);
  heard();
  if (typeof last.data === 'number') session?.forgetUntil(last.data);
  if (!settings.withholdAcks) send(op.heartbeatAck, null);
  return undefined;
}

function identify(d: unknown, state: ConnectionState, deps: UnderstandingDeps): Offence | undefined {
  const { world, sessions, limit, settings, token, welcome, exhausted, write, send } = deps;
  if (state.session !== undefined) return offence('second IDENTIFY', closing.alreadyAuthenticated);
  const asked = identifySchema.safeParse(d);
  if (!asked.success) return offence('IDENTIFY', closing.decodeError);
  if (asked.data.token !== token()) return offence('IDENTIFY: token', closing.authenticationFailed);
  const accepted = readIdentify(asked.data, {
    guilds: world.guilds,
    grantedIntents: settings.grantedIntents,
  });
  if (!('shard' in accepted)) return offence('IDENTIFY', accepted);
  const taken = limit.take(accepted.shard[0]);
  if (taken === 'exhausted') {
    exhausted();
    return { rule: 48, what: 'more than 1000 IDENTIFYs in a day', closing: closing.authenticationFailed };
  }
  if (taken === 'throttled') {
    send(op.invalidSession, false);
    return undefined;
  }
  state.session = sessions.open(accepted.shard, accepted.intents);
  state.session.attach(write);
  welcome(state.session);
  return undefined;
}

/** Rule 54. */
function resume(d: unknown, state: ConnectionState, deps: UnderstandingDeps): Offence | undefined {
  const { sessions, token, write, send } = deps;
  if (state.session !== undefined) return offence('RESUME after IDENTIFY', closing.alreadyAuthenticated);
  const asked = resumeSchema.safeParse(d);
  if (!asked.success) return offence('RESUME', closing.decodeError);
  if (asked.data.token !== token()) return offence('RESUME: token', closing.authenticationFailed);
  const session = sessions.get(asked.data.session_id);
  if (session === undefined) {
    send(op.invalidSession, false);
    return undefined;
  }
  const seq = asked.data.seq ?? 0;
  if (seq > session.seq()) return { rule: 54, what: 'RESUME: seq', closing: closing.invalidSeq };
  state.session = session;
  session.attach(write);
  session.replay(seq);
  session.dispatch('RESUMED', {});
  return undefined;
}
