import { randomBytes } from 'node:crypto';
import { GatewayOpcodes } from 'discord.js';
import type { Clock } from '../world/clock.ts';
import { shardOf } from '../world/snowflakes.ts';

/** How long a session waits for RESUME after its connection broke ("a few minutes"; Discord docs: Gateway, Resuming). */
const RESUMABLE_FOR_MS = 3 * 60_000;

export type Write = (text: string) => void;
export type Shard = readonly [id: number, count: number];

/** One identified bot process on one shard. It outlives its connection. */
export interface Session {
  readonly id: string;
  readonly shard: Shard;
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
  open(shard: Shard): Session;
  get(id: string): Session | undefined;
  end(id: string): void;
  all(): readonly Session[];
  /** Every session of the guild's shard hears it, connected or waiting for RESUME. */
  publish(t: string, d: unknown, guildId: string): void;
}

export function createSessions({ clock }: { readonly clock: Clock }): Sessions {
  const sessions = new Map<string, Session>();

  function open(shard: Shard): Session {
    const id = randomBytes(16).toString('hex');
    let seq = 0;
    let sent: { readonly s: number; readonly text: string }[] = [];
    let write: Write | undefined;
    let cancelEnd: (() => void) | undefined;

    const session: Session = {
      id,
      shard,
      seq: () => seq,
      dispatch(t, d) {
        seq += 1;
        const text = JSON.stringify({ op: GatewayOpcodes.Dispatch, s: seq, t, d });
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
    publish(t, d, guildId) {
      for (const session of sessions.values()) {
        const [id, count] = session.shard;
        if (shardOf(guildId, count) === id) session.dispatch(t, d);
      }
    },
  };
}
