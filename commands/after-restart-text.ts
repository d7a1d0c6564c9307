import type { Call } from '../src/discord/command.ts';
import { escapeText } from '../src/discord/escape.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import type { LeftOver } from '../src/submissions/journal.ts';
import { describe } from './outcome-text.ts';
import { serviceWords } from './service-words.ts';

/** What became of servers that were being submitted when the bot ended. */
export function afterRestartText(
  { sent, wanted }: Pick<LeftOver, 'sent' | 'wanted'>,
  games: Pick<GameCatalog, 'find'>,
  { t }: Call,
): string {
  const [request] = sent;
  const [server] = request?.servers ?? [];
  if (request && server && wanted <= 1) {
    const game = games.find(server.game) ?? { name: server.game, alias: server.game };
    const values = {
      message: escapeText(serviceWords(request.message ?? '', t)),
      what: describe(t, game, server),
    };
    return t(`resume.one.${request.outcome ?? 'unknown'}`, values);
  }
  const count = (outcome: string) =>
    sent.reduce((sum, one) => sum + (one.outcome === outcome ? one.servers.length : 0), 0);
  const all = sent.reduce((sum, one) => sum + one.servers.length, 0);
  const counts = {
    accepted: count('accepted'),
    rejected: count('rejected'),
    unknown: count('unknown'),
    'not-sent': count('not-sent') + Math.max(0, wanted - all),
  };
  const lines = (['accepted', 'rejected', 'unknown', 'not-sent'] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => t(`resume.many.${outcome}`, { count: counts[outcome] }));
  return [t('resume.many.heading'), ...lines].join('\n');
}
