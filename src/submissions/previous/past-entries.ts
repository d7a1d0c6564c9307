import { formatAddress } from '../../addresses/address.ts';
import type { ServerSubmission } from '../../listing/contract.ts';
import type { Entry } from './shapes.ts';

/**
 * The history of a guild, without what is a part of submissions that go on. It gives out an entry once: a server of a
 * running submission and its entry in the history were two records, and are one now.
 */
export interface PastEntries {
  /** The entry of a server that was sent after a moment. */
  take(server: ServerSubmission, userId: string | undefined, since: number): Entry | undefined;
  readonly left: readonly Entry[];
}

export const addressOf = ({ server: host, port }: ServerSubmission) => formatAddress({ host, port });

export function pastEntries(entries: readonly Entry[]): PastEntries {
  const left = new Set(entries);
  const byAddress = Map.groupBy(entries, addressOf);
  return {
    take(server, userId, since) {
      const entry = byAddress
        .get(addressOf(server))
        ?.find((one) => left.has(one) && one.at >= since && (userId ?? one.userId) === one.userId);
      if (entry) left.delete(entry);
      return entry;
    },
    get left() {
      return [...left];
    },
  };
}
