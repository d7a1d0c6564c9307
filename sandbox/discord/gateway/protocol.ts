import { z } from 'zod';

/** What travels over the gateway, by number (Discord docs: Opcodes and Status Codes). */
export const op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presenceUpdate: 3,
  voiceStateUpdate: 4,
  resume: 6,
  reconnect: 7,
  requestGuildMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
  requestSoundboardSounds: 31,
} as const;

/** Why the server hangs up, and the reason it gives. */
export const closing = {
  unknownError: [4000, 'Unknown error.'],
  unknownOpcode: [4001, 'Unknown opcode.'],
  decodeError: [4002, 'Error while decoding payload.'],
  notAuthenticated: [4003, 'Not authenticated.'],
  authenticationFailed: [4004, 'Authentication failed.'],
  alreadyAuthenticated: [4005, 'Already authenticated.'],
  invalidSeq: [4007, 'Invalid seq.'],
  rateLimited: [4008, 'Rate limited.'],
  sessionTimedOut: [4009, 'Session timed out.'],
  invalidShard: [4010, 'Invalid shard.'],
  shardingRequired: [4011, 'Sharding required.'],
  invalidApiVersion: [4012, 'Invalid API version.'],
  invalidIntents: [4013, 'Invalid intent(s).'],
  disallowedIntents: [4014, 'Disallowed intent(s).'],
} as const satisfies Record<string, readonly [code: number, reason: string]>;
export type Closing = readonly [code: number, reason: string];

/** A broken rule, and how the connection is closed for it. */
export interface Offence {
  readonly rule: number;
  readonly what: string;
  readonly closing: Closing;
}

/** Rule 47. */
export const offence = (what: string, why: Closing): Offence => ({ rule: 47, what, closing: why });

/** Known to Discord, and without effect here. */
export const QUIETLY_TAKEN: ReadonlySet<number> = new Set([
  op.presenceUpdate,
  op.voiceStateUpdate,
  op.requestGuildMembers,
  op.requestSoundboardSounds,
]);

/** Intents (Discord docs: Gateway, List of Intents). */
export const GUILDS = 1 << 0;
/** Guild members, presences, message content: only with a grant. */
export const PRIVILEGED = (1 << 1) | (1 << 8) | (1 << 15);
const KNOWN_BITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 21, 24, 25];
export const KNOWN_INTENTS = KNOWN_BITS.reduce((all, bit) => all | (1 << bit), 0);

/** Rule 47: the longest payload a client may send, in bytes, and how many of them in a minute. */
const LONGEST_PAYLOAD = 4096;
export const PAYLOADS_A_MINUTE = 120;

const frameSchema = z.object({ op: z.int(), d: z.unknown().optional() });

/** What a client sent; `undefined` when it is too long or cannot be read. */
export function readFrame(text: string): z.infer<typeof frameSchema> | undefined {
  if (Buffer.byteLength(text) > LONGEST_PAYLOAD) return undefined;
  try {
    return frameSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const heartbeatSchema = z.int().nonnegative().nullish();

export const identifySchema = z.object({
  token: z.string(),
  properties: z.record(z.string(), z.unknown()),
  // Missing or of another type is "invalid intents", not a payload that cannot be read.
  intents: z.unknown().optional(),
  shard: z.unknown().optional(),
  large_threshold: z.int().min(50).max(250).optional(),
});
export type Identify = z.infer<typeof identifySchema>;

export const resumeSchema = z.object({
  token: z.string(),
  session_id: z.string(),
  seq: z.int().nonnegative().nullable(),
});

export const shardSchema = z
  .tuple([z.int().nonnegative(), z.int().positive()])
  .refine(([id, count]) => id < count);
