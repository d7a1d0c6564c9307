import type { AddOutcome, ListingApi, Scheduler, ServerSubmission } from '../listing/contract.ts';
import type { Logger } from '../observability/logger.ts';
import type { Secret } from '../secret.ts';
import type { LedgerEntry } from './ledger.ts';

/** Servers that a member wants submitted with the guild's key. */
export interface Order {
  readonly interactionId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly user: { readonly id: string; readonly name: string };
  readonly key: Secret;
  readonly servers: readonly ServerSubmission[];
  /** When the interaction came, in milliseconds since 1970. */
  readonly receivedAt?: number;
  /** The member knows that some of them were submitted before, and wants it all the same. */
  readonly again?: boolean;
}

/** Why an order is not taken; nothing was sent. */
export type Refusal =
  /** The service has refused the guild's key; nothing leaves until it is renewed. */
  | { readonly code: 'key-invalid' }
  /** The same server is on its way already. */
  | { readonly code: 'in-flight'; readonly server: ServerSubmission }
  /** This guild has submitted these before; they were accepted, or may have been received. */
  | { readonly code: 'submitted-before'; readonly entries: readonly LedgerEntry[] }
  | { readonly code: 'member-limit' | 'guild-limit'; readonly waitSeconds: number }
  /** More servers at once than are ever allowed within `seconds`: waiting does not help. */
  | {
      readonly code: 'member-limit-size' | 'guild-limit-size';
      readonly limit: number;
      readonly seconds: number;
    }
  | { readonly code: 'service-down' }
  /** This guild lets only some games be submitted. */
  | { readonly code: 'game-not-allowed'; readonly game: string }
  | { readonly code: 'daily-quota'; readonly limit: number; readonly left: number };

/** Something that has a say in, or wants to know of, every submission: a limit, the ledger, a log channel. */
export interface DeskStep {
  readonly name: string;
  /** Asked once per order, with all its servers, before anything is sent. */
  admit?(order: Order): Promise<Refusal | undefined>;
  /** Told before each request leaves. When it throws, so does `send`, and nothing has left. */
  sending?(order: Order): Promise<void>;
  /** Told that a step has refused the order, itself perhaps. What it throws is logged and changes nothing. */
  refused?(order: Order, refusal: Refusal): Promise<void>;
  /** Told how each request ended, with the servers that were in it. What it throws is logged and changes nothing. */
  settled?(order: Order, outcome: AddOutcome): Promise<void>;
  /** Told of servers of an admitted order that were not sent in the end. What it throws is logged. */
  withdrawn?(order: Order): Promise<void>;
}

/** Where every submission goes through, one server or a thousand. */
export interface Desk {
  /** The first refusal, in the order of the steps; `undefined` when the order may be sent. */
  admit(order: Order): Promise<Refusal | undefined>;
  /**
   * Sends one request of 1 to 100 servers of an admitted order, and tells the steps how it ended, the last step
   * first: what the first one holds back is let go once all others know.
   */
  send(order: Order): Promise<AddOutcome>;
  /** Takes servers of an admitted order back that were not sent: they no longer count, and can be ordered again. */
  withdraw(order: Order): Promise<void>;
}

export interface DeskDeps {
  readonly listing: Pick<ListingApi, 'add'>;
  readonly scheduler: Scheduler;
  readonly steps: readonly DeskStep[];
  readonly logger: Logger;
}

export function createDesk({ listing, scheduler, steps, logger }: DeskDeps): Desk {
  async function tell(step: DeskStep, told: Promise<void> | undefined): Promise<void> {
    await told?.catch((error: unknown) => {
      logger.error({ err: error, step: step.name }, 'what came of a submission could not be noted');
    });
  }

  return {
    async admit(order) {
      for (const step of steps) {
        const refusal = await step.admit?.(order);
        if (refusal) {
          for (const each of steps) await tell(each, each.refused?.(order, refusal));
          return refusal;
        }
      }
      return undefined;
    },
    async send(order) {
      const { guildId, user, receivedAt, key, servers } = order;
      const outcome = await scheduler.run(
        {
          ...{ guildId, memberId: user.id, kind: 'submission', key },
          ...(receivedAt !== undefined && { receivedAt }),
        },
        async () => {
          for (const step of steps) await step.sending?.(order);
          return listing.add(servers, key);
        },
      );
      for (const step of steps.toReversed()) await tell(step, step.settled?.(order, outcome));
      return outcome;
    },
    async withdraw(order) {
      for (const step of steps.toReversed()) await tell(step, step.withdrawn?.(order));
    },
  };
}
