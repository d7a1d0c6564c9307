import { formatAddress } from './address.ts';
import type { DeskStep, Order } from './desk.ts';

/** As long as an interaction's token lives: nothing a member waits for takes longer. */
const LONGEST_MS = 15 * 60_000;

export interface InFlight {
  readonly step: DeskStep & Required<Pick<DeskStep, 'admit' | 'settled'>>;
  /** The interaction has ended: what it has not sent is no longer on its way. */
  release(interactionId: string): void;
}

/** Which servers are on their way, from when an order is admitted until its requests have ended. In memory. */
export function createInFlight(now: () => number = Date.now): InFlight {
  const taken = new Map<string, { readonly interactionId: string; readonly until: number }>();
  const places = ({ guildId, servers }: Order) =>
    servers.map((server) => ({
      server,
      place: `${guildId} ${formatAddress({ host: server.server, port: server.port })}`,
    }));

  async function letGo(order: Order): Promise<void> {
    for (const { place } of places(order)) {
      if (taken.get(place)?.interactionId === order.interactionId) taken.delete(place);
    }
  }

  return {
    step: {
      name: 'in-flight',
      async admit(order) {
        const { interactionId } = order;
        const all = places(order);
        const other = all.find(({ place }) => {
          const holder = taken.get(place);
          return holder !== undefined && holder.interactionId !== interactionId && now() < holder.until;
        });
        if (other) return { code: 'in-flight', server: other.server };
        for (const { place } of all) taken.set(place, { interactionId, until: now() + LONGEST_MS });
        return undefined;
      },
      async sending(order) {
        // A rejected request was let go; its halves are on their way again.
        for (const { place } of places(order)) {
          if (!taken.has(place))
            taken.set(place, { interactionId: order.interactionId, until: now() + LONGEST_MS });
        }
      },
      settled: letGo,
      withdrawn: letGo,
    },
    release(interactionId) {
      for (const [place, holder] of taken) if (holder.interactionId === interactionId) taken.delete(place);
    },
  };
}
