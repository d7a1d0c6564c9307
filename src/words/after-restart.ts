import type { Context } from '../discord/command.ts';
import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import type { GameCatalog } from '../listing/game-catalog.ts';
import { escapeText } from './escape.ts';
import { describe } from './outcome.ts';
import { serviceWords } from './service-words.ts';

/** What became of servers that were being submitted when the bot ended; of what is not known yet nothing was sent. */
export function afterRestartText(
  { t }: Context,
  done: {
    readonly servers: readonly ServerSubmission[];
    readonly outcomes: readonly (Outcome | undefined)[];
  },
  games: Pick<GameCatalog, 'find'>,
): string {
  const { servers, outcomes } = done;
  const [server] = servers;
  if (server && servers.length === 1) {
    const [outcome] = outcomes;
    const game = games.find(server.game) ?? { name: server.game, alias: server.game };
    const message = outcome && 'message' in outcome ? escapeText(serviceWords(outcome.message, t)) : '';
    return t(`resume.one.${outcome?.kind ?? 'not-sent'}`, { message, what: describe(t, game, server) });
  }
  const lines = (['accepted', 'rejected', 'unknown', 'not-sent'] as const).flatMap((kind) => {
    const count = servers.filter((_, place) => (outcomes[place]?.kind ?? 'not-sent') === kind).length;
    return count > 0 ? [t(`resume.many.${kind}`, { count })] : [];
  });
  return [t('resume.many.heading'), ...lines].join('\n');
}
