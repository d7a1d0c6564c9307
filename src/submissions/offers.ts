import { z } from 'zod';
import type { ServerSubmission } from '../listing/contract.ts';
import { type Store, StoreError } from '../storage/store.ts';
import { createTurns } from '../storage/turns.ts';
import { submissionSchema } from './submission.ts';

/** How long a button that submits works, in milliseconds. */
const OFFER_MS = 15 * 60_000;

const offerSchema = z.object({
  v: z.literal(1),
  userId: z.string(),
  submission: submissionSchema,
  /** Also where this guild has submitted it before. */
  again: z.boolean(),
  /** Milliseconds since 1970. */
  until: z.number(),
  /** The press that took it. */
  takenBy: z.exactOptional(z.string()),
});

/** A submission that a member may still make, by a button. */
export interface Offer {
  readonly submission: ServerSubmission;
  readonly again: boolean;
}

export interface Offers {
  /** @param id of the interaction whose answer has the button, since an address may be too long for a custom id */
  make(id: string, to: { readonly guildId: string; readonly userId: string }, offer: Offer): Promise<void>;
  /**
   * Takes an offer, once. The same press gets it again, since a crash may come between taking and sending.
   * @returns why there is nothing to take: it is too old, of somebody else or another guild; or taken already
   */
  take(
    id: string,
    by: { readonly guildId: string; readonly userId: string; readonly interactionId: string },
  ): Promise<Offer | 'gone' | 'taken'>;
}

export function createOffers(deps: {
  readonly store: Pick<Store, 'get' | 'set'>;
  readonly now?: () => number;
}): Offers {
  const { store, now = Date.now } = deps;
  const inTurn = createTurns();
  return {
    make: (id, { guildId, userId }, { submission, again }) =>
      store.set(place(guildId, id), { v: 1, userId, submission, again, until: now() + OFFER_MS }, OFFER_MS),
    take: (id, { guildId, userId, interactionId }) =>
      inTurn(place(guildId, id), async () => {
        const stored = await store.get(place(guildId, id));
        if (stored === undefined) return 'gone';
        const parsed = offerSchema.safeParse(stored);
        if (!parsed.success) throw new StoreError(`the offer ${id} is not a record of this version`);
        const offer = parsed.data;
        const left = offer.until - now();
        if (offer.userId !== userId || left <= 0) return 'gone';
        if (offer.takenBy !== undefined && offer.takenBy !== interactionId) return 'taken';
        await store.set(place(guildId, id), { ...offer, takenBy: interactionId }, left);
        const { submission, again } = offer;
        return { submission, again };
      }),
  };
}

const place = (guildId: string, id: string) => `offer:${guildId}:${id}`;
