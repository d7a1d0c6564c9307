import type { AddOutcome, ListingApi, ServerSubmission } from '../listing/contract.ts';
import type { Logger } from '../observability/logger.ts';
import type { Secret } from '../secret.ts';

/** Servers that a member wants submitted with the guild's key. */
export interface Order {
  readonly interactionId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly user: { readonly id: string; readonly name: string };
  readonly key: Secret;
  readonly servers: readonly ServerSubmission[];
}

/** Why an order is not taken; nothing was sent. */
export type Refusal =
  /** The service has refused the guild's key; nothing leaves until it is renewed. */
  | { readonly code: 'key-invalid' }
  /** The same server is on its way already. */
  | { readonly code: 'in-flight'; readonly server: ServerSubmission }
  | { readonly code: 'member-limit' | 'guild-limit'; readonly waitSeconds: number }
  | { readonly code: 'service-down' }
  /** This guild lets only some games be submitted. */
  | { readonly code: 'game-not-allowed'; readonly game: string }
  | { readonly code: 'daily-quota'; readonly limit: number; readonly left: number };

/** Something that has a say in, or wants to know of, every submission: a limit, the ledger, a log channel. */
export interface DeskStep {
  readonly name: string;
  /** Asked once per order, with all its servers, before anything is sent. */
  admit?(order: Order): Promise<Refusal | undefined>;
  /** Told that a step has refused the order, itself perhaps. What it throws is logged and changes nothing. */
  refused?(order: Order, refusal: Refusal): Promise<void>;
  /** Told how each request ended, with the servers that were in it. What it throws is logged and changes nothing. */
  settled?(order: Order, outcome: AddOutcome): Promise<void>;
}

/** Where every submission goes through, one server or a thousand. */
export interface Desk {
  /** The first step's refusal, in their order; `undefined` when the order may be sent. */
  admit(order: Order): Promise<Refusal | undefined>;
  /** Sends one request of 1 to 100 servers of an admitted order, and tells the steps how it ended. */
  send(order: Order): Promise<AddOutcome>;
}

export interface DeskDeps {
  readonly listing: Pick<ListingApi, 'add'>;
  readonly steps: readonly DeskStep[];
  readonly logger: Logger;
}

export function createDesk({ listing, steps, logger }: DeskDeps): Desk {
  async function tell(say: (step: DeskStep) => Promise<void> | undefined): Promise<void> {
    for (const step of steps) {
      await say(step)?.catch((error: unknown) => {
        logger.error({ err: error, step: step.name }, 'what came of a submission could not be noted');
      });
    }
  }

  return {
    async admit(order) {
      for (const step of steps) {
        const refusal = await step.admit?.(order);
        if (refusal) {
          await tell((each) => each.refused?.(order, refusal));
          return refusal;
        }
      }
      return undefined;
    },
    async send(order) {
      const outcome = await listing.add(order.servers, order.key);
      await tell((step) => step.settled?.(order, outcome));
      return outcome;
    },
  };
}
