import { z } from 'zod';
import type { AddOutcome } from '../listing/contract.ts';

/** Code points of the service's words that are kept: the specification's own messages have at most 45. */
const MAX_MESSAGE = 300;

/** How a request ended, as it is kept. */
export const endingSchema = z.object({
  /** `unknown`: it was sent, and may have been received. `not-sent`: nothing left the machine. */
  outcome: z.enum(['accepted', 'rejected', 'unknown', 'not-sent']),
  /** The service's words, cut to 300 code points. */
  message: z.exactOptional(z.string()),
});
export type Ending = Readonly<z.infer<typeof endingSchema>>;

/** An answer that could not be understood leaves open what the service did, as no answer does. */
export function endingOf(outcome: AddOutcome): Ending {
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      return { outcome: outcome.kind, message: short(outcome.message) };
    case 'not-sent':
      return { outcome: 'not-sent' };
    default:
      return { outcome: 'unknown' };
  }
}

function short(message: string): string {
  return message.length <= MAX_MESSAGE ? message : [...message].slice(0, MAX_MESSAGE).join('');
}
