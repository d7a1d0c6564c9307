import type { Reply } from './command.ts';

/** One answer on its way. */
export interface Delivery {
  /** Whether the member has it: somebody who presses one of its buttons has seen it. */
  isSeen(): boolean;
  end(): void;
}

/** Answers that are being delivered, and what members press meanwhile. */
export interface Deliveries {
  /** @param messageOf the interaction that the message was made for; `undefined` when that is not known */
  begin(messageOf: string | undefined, answer: Reply | string): Delivery;
  pressed(messageOf: string | undefined, customId: string): void;
}

/**
 * An answer whose arrival is uncertain (no word from Discord, or a 5xx) is sent again, for a minute and a half. Was the
 * first one taken after all, the member reads it and goes on with its buttons; sent again then, it would stand in place
 * of what came of that: "submitted before", where the server has just been submitted again.
 */
export function createDeliveries(): Deliveries {
  const underway = new Map<string, Set<{ readonly customIds: ReadonlySet<string>; seen: boolean }>>();
  return {
    begin(messageOf, answer) {
      if (messageOf === undefined) return { isSeen: () => false, end: () => undefined };
      const delivery = { customIds: customIdsOf(answer), seen: false };
      const others = underway.get(messageOf) ?? new Set();
      underway.set(messageOf, others.add(delivery));
      return {
        isSeen: () => delivery.seen,
        end() {
          others.delete(delivery);
          if (others.size === 0) underway.delete(messageOf);
        },
      };
    },
    pressed(messageOf, customId) {
      for (const delivery of underway.get(messageOf ?? '') ?? []) {
        delivery.seen ||= delivery.customIds.has(customId);
      }
    },
  };
}

function customIdsOf(answer: Reply | string): ReadonlySet<string> {
  const rows = typeof answer === 'string' ? [] : (answer.components ?? []);
  const controls = rows.flatMap(({ components }) => components);
  return new Set(controls.flatMap((control) => ('custom_id' in control ? [control.custom_id] : [])));
}
