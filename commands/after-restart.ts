import type { Context, Reply } from '../src/interactions/command.ts';
import { button, type Control, rows } from '../src/interactions/controls.ts';
import { isAboutKey } from '../src/listing/contract.ts';
import type { EndedSubmission } from '../src/submissions/record.ts';
import { renewText } from '../src/words/keys.ts';
import { describe, type KnownGames, serverEmbed } from '../src/words/servers.ts';
import { buttonsAfterOutcome } from './addserver/buttons.ts';
import { outcomeText } from './addserver/text.ts';
import { submitId } from './addservers/controls.ts';
import { endTexts } from './addservers/report.ts';

/**
 * What became of a submission that was under way when the bot ended. What was not sent can be sent again by a button; one
 * server that was rejected, or may have arrived, has to be looked at first.
 */
export function afterRestart(
  context: Context,
  { source, servers, outcomes, restId }: EndedSubmission,
  games: KnownGames,
): Reply {
  const { t } = context;
  const [server] = servers;
  const [outcome] = outcomes;
  const isOne = server !== undefined && outcome !== undefined && servers.length === 1;
  const ended = servers.flatMap((each, index) => {
    const end = outcomes[index];
    return end ? [{ server: each, outcome: end }] : [];
  });
  const texts = isOne ? [outcomeText(context, server, outcome, undefined)] : endTexts(context, ended);

  function buttons(id: string): readonly Control[] {
    if (source === 'options' && outcome) return buttonsAfterOutcome(t, id, outcome);
    return [button(submitId(id), t('again.submitAgain'))];
  }

  return {
    content: [...texts, ...(outcomes.some(isAboutKey) ? [renewText(context)] : [])].join('\n\n'),
    embeds: isOne ? [serverEmbed(t, outcome.kind, [describe(t, server, games)])] : [],
    components: rows(restId === undefined ? [] : buttons(restId)),
  };
}
