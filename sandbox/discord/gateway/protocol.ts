import { GatewayOpcodes } from 'discord.js';
import * as z from 'zod';

/** Why the server hangs up: the code, and the reason it gives (Discord docs: Gateway Close Event Codes). */
export type Closing = readonly [code: number, reason: string];
export const closing = {
  unknownOpcode: [4001, 'Unknown opcode.'],
  decodeError: [4002, 'Error while decoding payload.'],
  notAuthenticated: [4003, 'Not authenticated.'],
  authenticationFailed: [4004, 'Authentication failed.'],
  alreadyAuthenticated: [4005, 'Already authenticated.'],
  invalidSeq: [4007, 'Invalid seq.'],
  rateLimited: [4008, 'Rate limited.'],
  sessionTimedOut: [4009, 'Session timed out.'],
  invalidShard: [4010, 'Invalid shard.'],
  invalidApiVersion: [4012, 'Invalid API version.'],
  invalidIntents: [4013, 'Invalid intent(s).'],
} as const satisfies Record<string, Closing>;

/** The longest payload that a client may send, in bytes, and how many of them in a minute (Discord docs: Gateway). */
const LONGEST_PAYLOAD = 4096;
export const PAYLOADS_A_MINUTE = 120;

const heartbeat = z.object({
  op: z.literal(GatewayOpcodes.Heartbeat),
  d: z.int().nonnegative().nullish(),
});
const identify = z.object({
  op: z.literal(GatewayOpcodes.Identify),
  d: z.object({
    token: z.string(),
    properties: z.record(z.string(), z.unknown()),
    // What is missing or of another type is "invalid intents", and not a payload that cannot be read.
    intents: z.unknown().optional(),
    shard: z.unknown().optional(),
  }),
});
const resume = z.object({
  op: z.literal(GatewayOpcodes.Resume),
  d: z.object({
    token: z.string(),
    session_id: z.string(),
    seq: z.int().nonnegative().nullable(),
  }),
});
const known = z.discriminatedUnion('op', [heartbeat, identify, resume]);
const any = z.object({ op: z.int() });

export type Identify = z.infer<typeof identify>['d'];
export type Resume = z.infer<typeof resume>['d'];
export type Frame = z.infer<typeof known> | { readonly op: 'other' };

/** What a client sent; `undefined` when it is too long or cannot be read. */
export function readFrame(text: string): Frame | undefined {
  if (Buffer.byteLength(text) > LONGEST_PAYLOAD) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    const { op } = any.parse(json);
    const isKnown = known.options.some((option) => option.shape.op.value === op);
    return isKnown ? known.parse(json) : { op: 'other' };
  } catch {
    return undefined;
  }
}

export const shardSchema = z
  .tuple([z.int().nonnegative(), z.int().positive()])
  .refine(([id, count]) => id < count);
