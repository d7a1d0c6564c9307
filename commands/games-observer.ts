import type { GameCatalog } from '../src/listing/game-catalog.ts';
import type { Observer } from '../src/submissions/order.ts';

/** Keeps the games list fresh with the keys that are in use, and asks for it anew when the service knows another. */
export const gamesObserver = (games: Pick<GameCatalog, 'invalidate' | 'refreshSoon'>): Observer => ({
  async ended(_, { outcomes, key }) {
    const isKnown = (error: string) => outcomes.some((end) => end.kind === 'rejected' && end.known === error);
    if (isKnown('gameInvalid')) games.invalidate();
    if (!isKnown('invalidKey')) games.refreshSoon(key);
  },
});
