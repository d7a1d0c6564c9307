import { randomBytes } from 'node:crypto';
import type { Clock } from '../world/clock.ts';
import { shardOf } from '../world/snowflakes.ts';
import { op } from './protocol.ts';

/** How long a session waits for RESUME after its connection broke ("a few minutes", rule 54). */
const RESUMABLE_FOR_MS = 3 * 60_000;

export type Write = (text: string) => void;
export type Shard = readonly [id: number, count: number];

/** Something that happened, for those sessions that are to hear of it. */
export interface GatewayEvent {
  readonly t: string;
  readonly d: unknown;
  /** Rule 51: decides the shard; without one it is shard 0. */
  readonly guildId: string | undefined;
  /** The intent without which it is not sent (rule 50); 0 is sent always. */
  readonly intent: number;
}

/** One identified bot process on one shard. It outlives its connection. */
export interface Session {
  readonly id: string;
  readonly shard: Shard;
  readonly intents: number;
  /** The number of the last event. */
  seq(): number;
  dispatch(t: string, d: unknown): void;
  /** The connection it writes to from now on. */
  attach(write: Write): void;
  /** That connection broke: starts the wait for RESUME, unless another one has taken over. */
  detach(write: Write): void;
  connected(): boolean;
  /** Sends again, with their own numbers, the events after `seq`. */
  replay(seq: number): void;
  /** What the client has for certain need not be kept. */
  forgetUntil(seq: number): void;
}

export interface Sessions {
  open(shard: Shard, intents: number): Session;
  get(id: string): Session | undefined;
  end(id: string): void;
  all(): readonly Session[];
  /** Every session of the shard hears it, connected or waiting for RESUME. */
  publish(event: GatewayEvent): void;
}

export function createSessions({ clock }: { readonly clock: Clock }): Sessions {
  const sessions = new Map<string, Session>();

  function open(shard: Shard, intents: number): Session {
    const id = randomBytes(16).toString('hex');
    let seq = 0;
    let sent: { readonly s: number; readonly text: string }[] = [];
    let write: Write | undefined;
    let cancelEnd: (() => void) | undefined;

    const session: Session = {
      id,
      shard,
      intents,
      seq: () => seq,
      dispatch(t, d) {
        seq += 1;
        const text = JSON.stringify({ op: op.dispatch, s: seq, t, d });
        sent.push({ s: seq, text });
        write?.(text);
      },
      attach(next) {
        write = next;
        cancelEnd?.();
      },
      detach(broken) {
        if (write !== broken) return;
        write = undefined;
        cancelEnd = clock.setTimeout(() => sessions.delete(id), RESUMABLE_FOR_MS);
      },
      connected: () => write !== undefined,
      replay(after) {
        for (const { s, text } of sent) if (s > after) write?.(text);
      },
      forgetUntil(known) {
        sent = sent.filter(({ s }) => s > known);
      },
    };
    sessions.set(id, session);
    return session;
  }

  return {
    open,
    get: (id) => sessions.get(id),
    end: (id) => sessions.delete(id),
    all: () => [...sessions.values()],
    publish({ t, d, guildId, intent }) {
      for (const session of sessions.values()) {
        const [id, count] = session.shard;
        const hears = shardOf(guildId, count) === id && (session.intents & intent) === intent;
        if (hears) session.dispatch(t, d);
      }
    },
  };
}
