import { formatAddress } from '../addresses/address.ts';
import type { SubmittedBefore } from '../submissions/duplicates.ts';
import type { Refusal } from '../submissions/pipeline.ts';
import { escapeText, LONGEST_ESCAPED_NAME } from './escape.ts';
import { type NamedGames, notAllowedText } from './games.ts';
import { keyText, renewText } from './keys.ts';
import { listAbout } from './listing-pages.ts';
import type { Reader, Translate } from './words.ts';

/** Why nothing was sent, as a sentence for the member who asked. */
export function refusalText(refusal: Refusal, reader: Reader, games: NamedGames): string {
  const { t } = reader;
  switch (refusal.code) {
    case 'key-missing':
    case 'key-unreadable':
      return t('refusal.no-key', { problem: keyText(refusal, reader) });
    case 'key-invalid':
      return `${t('refusal.key-invalid')} ${renewText(reader, refusal.setBy)}`;
    case 'in-flight': {
      const { server: host, port } = refusal.server;
      return t('refusal.in-flight', { address: formatAddress({ host, port }) });
    }
    case 'submitted-before': {
      const [server] = refusal.servers;
      return server ? submittedBefore(server, reader, games) : t('refusal.submitted-before.some');
    }
    case 'member-limit':
    case 'guild-limit':
    case 'daily-quota':
      // Discord counts down by itself, in the member's language.
      return t(`refusal.${refusal.code}`, { count: refusal.limit, seconds: Math.ceil(refusal.until / 1000) });
    case 'game-not-allowed':
      return notAllowedText(refusal.game, t, games);
  }
}

/** Who submitted a server before, as which game, when, and how it ended. */
function submittedBefore(before: SubmittedBefore, reader: Reader, games: NamedGames): string {
  const { t } = reader;
  const { server: host, port, game, at, outcome } = before;
  return t(`refusal.submitted-before.${outcome}`, {
    address: formatAddress({ host, port }),
    game: escapeText(games.find(game)?.name ?? game, LONGEST_ESCAPED_NAME),
    seconds: Math.floor(at / 1000),
    user: submitterText(t, before),
    ...listAbout(reader, { server: host, port }),
  });
}

/** Who submitted something before, as a part of a sentence. */
export function submitterText(t: Translate, { userName, isYours }: SubmittedBefore): string {
  if (isYours) return t('submitter.you');
  return userName === '' ? t('submitter.someone') : escapeText(userName, LONGEST_ESCAPED_NAME);
}
