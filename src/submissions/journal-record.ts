import { z } from 'zod';
import type { Secret } from '../secret.ts';
import { endingSchema } from './ending.ts';
import { submissionSchema } from './submission.ts';

const workSchema = z.union([
  z.object({ command: z.string(), options: z.record(z.string(), z.union([z.string(), z.number()])) }),
  z.object({
    command: z.string(),
    action: z.string(),
    argument: z.string(),
    values: z.array(z.string()),
  }),
]);

/** What is sealed of an interaction: the token, and what was typed, in which a password may be. */
export const carriedSchema = z.object({
  channelId: z.string(),
  user: z.object({ id: z.string(), name: z.string() }),
  /** A bit set as a decimal number. */
  permissions: z.string().regex(/^\d+$/),
  locale: z.string(),
  guildLocale: z.string(),
  shape: z.enum(['reply', 'update']),
  isPrivate: z.boolean(),
  work: z.exactOptional(workSchema),
  token: z.string(),
});

/** What the journal keeps of an interaction, in order to answer it in another run of the bot. */
export interface CarriedInteraction extends Readonly<Omit<z.infer<typeof carriedSchema>, 'token'>> {
  readonly interactionId: string;
  readonly guildId: string;
  readonly token: Secret;
}

const sentSchema = z.object({
  servers: z.array(submissionSchema),
  /** Absent as long as there is no answer. */
  outcome: z.exactOptional(endingSchema.shape.outcome),
  message: endingSchema.shape.message,
});
/** One request that left, or was about to. */
export type SentRequest = Readonly<z.infer<typeof sentSchema>>;

export const recordSchema = z.object({
  v: z.literal(1),
  /** Milliseconds since 1970. */
  at: z.number(),
  guildId: z.string(),
  interactionId: z.string(),
  sealed: z.unknown(),
  wanted: z.int(),
  sent: z.array(sentSchema),
});
export type JournalRecord = z.infer<typeof recordSchema>;

/** Where the sealed parts of the journal are, and what they were sealed for: `guild id:interaction id`. */
export const SEALED_INTERACTIONS = {
  prefix: 'journal:',
  field: 'sealed',
  context: (place: string) => {
    const [guildId, interactionId] = place.split(':');
    return `guild ${guildId}: interaction ${interactionId}`;
  },
} as const;
