import type { Call } from '../src/discord/command.ts';
import { harmless } from '../src/discord/limits.ts';
import { formatAddress } from '../src/submissions/address.ts';
import type { Refusal } from '../src/submissions/desk.ts';

/** Why nothing was sent, as a sentence for the member who asked. */
export function refusalText(refusal: Refusal, { t, mention }: Call): string {
  switch (refusal.code) {
    case 'key-invalid':
      return t('refusal.key-invalid', { setkey: mention('setkey') });
    case 'in-flight': {
      const { server: host, port } = refusal.server;
      return t('refusal.in-flight', { address: formatAddress({ host, port }) });
    }
    case 'member-limit':
    case 'guild-limit': {
      // Discord counts down by itself, in the member's language.
      const seconds = Math.ceil(Date.now() / 1000) + refusal.waitSeconds;
      return t(`refusal.${refusal.code}`, { seconds });
    }
    case 'service-down':
      return t('refusal.service-down');
    case 'game-not-allowed':
      return t('refusal.game-not-allowed', { game: harmless(refusal.game) });
    case 'daily-quota':
      return t('refusal.daily-quota', { count: refusal.left, limit: refusal.limit });
  }
}
