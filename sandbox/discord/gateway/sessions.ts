import { randomBytes } from 'node:crypto';
import { GatewayOpcodes } from 'discord.js';
import type { Clock } from '../world/clock.ts';
import { shardOf } from '../world/snowflakes.ts';

/**
 * How long a session can be resumed after its connection breaks. The docs say "a few minutes" (Discord docs: Gateway,
 * Resuming).
 */
const RESUMABLE_FOR_MS = 3 * 60_000;

type Write = (text: string) => void;
type Shard = readonly [id: number, count: number];
export type Session = ReturnType<typeof createSession>;
export type Sessions = ReturnType<typeof createSessions>;

/** Creates a bot's session on one shard. The session survives if its connection breaks. */
function createSession(shard: Shard, clock: Clock, end: (id: string) => void) {
  const id = randomBytes(16).toString('hex');
  let seq = 0;
  let sent: { readonly s: number; readonly text: string }[] = [];
  let write: Write | undefined;
  let cancelEnd: (() => void) | undefined;
  return {
    id,
    shard,
    /** Returns the sequence number of the latest event. */
    seq: () => seq,
    dispatch(t: string, d: unknown): void {
      seq += 1;
      const text = JSON.stringify({ op: GatewayOpcodes.Dispatch, s: seq, t, d });
      sent.push({ s: seq, text });
      write?.(text);
    },
    /** Connects the session: from now on, its events are passed to this function. */
    attach(next: Write): void {
      write = next;
      cancelEnd?.();
    },
    /** Starts the time limit for RESUME, unless a new connection has already replaced the broken one. */
    detach(broken: Write): void {
      if (write !== broken) return;
      write = undefined;
      cancelEnd = clock.setTimeout(() => end(id), RESUMABLE_FOR_MS);
    },
    connected: () => write !== undefined,
    /** Resends all events after this sequence number, with their original numbers. */
    replay(after: number): void {
      for (const { s, text } of sent) if (s > after) write?.(text);
    },
    /** Deletes the events that the client has confirmed. */
    forgetUntil(known: number): void {
      sent = sent.filter(({ s }) => s > known);
    },
  };
}

export function createSessions({ clock }: { readonly clock: Clock }) {
  const sessions = new Map<string, Session>();
  const end = (id: string) => void sessions.delete(id);
  return {
    open(shard: Shard): Session {
      const session = createSession(shard, clock, end);
      sessions.set(session.id, session);
      return session;
    },
    get: (id: string) => sessions.get(id),
    end,
    all: (): readonly Session[] => [...sessions.values()],
    /** Sends an event to all sessions of the guild's shard. Sessions that are waiting for RESUME get it later. */
    publish(t: string, d: unknown, guildId: string): void {
      for (const session of sessions.values()) {
        const [id, count] = session.shard;
        if (shardOf(guildId, count) === id) session.dispatch(t, d);
      }
    },
  };
}
