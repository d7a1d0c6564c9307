import type { Context, Reply } from '../../src/interactions/command.ts';
import { linkButton, rows } from '../../src/interactions/controls.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import type { Ended } from '../../src/submissions/pipeline.ts';
import { nextForKey } from '../../src/words/keys.ts';
import { announcementOf, outcomeText, pageOfUnknown } from '../../src/words/outcomes.ts';
import { remainingText } from '../../src/words/refusal.ts';
import { describe, serverEmbed } from '../../src/words/servers.ts';
import { enterKey } from '../setkey.ts';
import { buttonsAfterOutcome } from './repairs.ts';

/** The outcome of one server, with what can be done next. */
export function endedReply(context: Context, ended: Ended, games: GameIndex): Reply {
  const { t } = context;
  const { id, isLeft, keyProblem, isRecorded } = ended;
  const [only] = ended.servers;
  if (only === undefined) throw new Error('a submission has at least one server');
  const { server, outcome } = only;
  const remaining =
    outcome.kind === 'accepted' && ended.remaining ? remainingText(ended.remaining, t) : undefined;
  const texts = [
    outcomeText(context, server, outcome),
    keyProblem && nextForKey(context, keyProblem),
    remaining && `-# ${remaining}`,
    !isRecorded && t('ended.unrecorded'),
  ];
  const page = pageOfUnknown(context, ended.servers);
  const buttons = isLeft
    ? [
        keyProblem && enterKey(context, id),
        ...buttonsAfterOutcome(t, id, outcome),
        page !== undefined && linkButton(page, t('listing.check')),
      ]
    : [];
  return {
    content: texts.filter(Boolean).join('\n'),
    embeds: [serverEmbed(t, outcome.kind, [describe(t, server, games)])],
    components: rows(buttons),
    announcement: announcementOf(context, ended, games),
  };
}
