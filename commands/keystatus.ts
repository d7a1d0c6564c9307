import type { KeyStatus } from '../src/guilds/api-keys.ts';
import type { Command, Context, Reply } from '../src/interactions/command.ts';
import { button, type Control, customId, rows } from '../src/interactions/controls.ts';
import { keyDetails, keyText, tooSoonText } from '../src/words/keys.ts';
import { secondsOf, sentences } from '../src/words/sentences.ts';
import { withSign } from '../src/words/servers.ts';
import { failureText } from '../src/words/service.ts';
import type { CommandDeps } from './deps.ts';
import { enterKey } from './setkey.ts';
import { lacksKey } from './settings/text.ts';
import { slashCommand } from './slash-command.ts';

/** /keystatus: shows the status of the API key and a button to test it. The key itself is never shown. */
export function keyStatusCommand({ keyTrials, games, keys, breaker, onKeyChange }: CommandDeps): Command {
  async function report(context: Context, ...before: readonly string[]): Promise<Reply> {
    const status = await keys.status(context.guildId);
    const said = status ? lines(context, status) : [keyText({ code: 'key-missing' }, context)];
    const isDown = status !== undefined && breaker.isDownFor(context.guildId);
    const down = isDown ? [withSign('not-sent', context.t('notSent.unreachable'))] : [];
    return {
      content: [...before, ...down, ...said].join('\n'),
      components: rows([
        ...keyButtons(context, status),
        button(customId('settings', 'open'), context.t('settings.all')),
      ]),
    };
  }

  /** Tests the key and describes the result, but not the key's status. */
  async function check(context: Context): Promise<readonly string[]> {
    const { interactionId, guildId, user, t } = context;
    const stored = await keys.get(guildId);
    if (!stored) return [];
    const outcome = await keyTrials.run({ interactionId, guildId, memberId: user.id }, stored.key);
    if (outcome.kind === 'too-soon') return [tooSoonText(outcome, t)];
    if (outcome.kind === 'games') await games.accept(outcome.games);
    const change = await keys.noteOutcome(guildId, stored.setAt, outcome);
    if (change) await onKeyChange(guildId, change);
    if (outcome.kind === 'games') return [withSign('accepted', t('keystatus.works'))];
    // The reply's status lines already include the service's message.
    if (outcome.kind === 'rejected') {
      const isStill = outcome.known === 'invalidKey' && change === undefined;
      return isStill ? [withSign('rejected', t('keystatus.stillRejected'))] : [];
    }
    return [withSign('not-sent', sentences(failureText(outcome, t), t('setkey.untried')))];
  }

  return {
    data: slashCommand('keystatus'),
    permission: 'manage-guild',
    answers: 'immediate',
    run: (context) => report(context),
    presses: {
      check: {
        answers: 'sending',
        run: async (context) => report(context, ...(await check(context))),
      },
    },
  };
}

export function keyButtons(
  context: Pick<Context, 't' | 'isAdmin'>,
  status: KeyStatus | undefined,
): readonly (Control | false)[] {
  const { t } = context;
  const lacks = lacksKey(status);
  return [
    lacks && enterKey(context),
    status?.readable === true &&
      button(customId('keystatus', 'check'), t('keystatus.check'), lacks ? 'secondary' : 'primary'),
    !lacks && button(customId('setkey', 'enter'), t('setkey.replace')),
    status !== undefined && button(customId('removekey', 'ask'), t('removekey.confirm')),
  ];
}

function lines(context: Context, status: KeyStatus): readonly string[] {
  const { t } = context;
  const { workedAt, invalidSince, readable } = status;
  const said: string[] = [];
  if (invalidSince !== undefined) {
    said.push(withSign('rejected', t('keystatus.rejected', { seconds: secondsOf(invalidSince) })));
  }
  if (workedAt !== undefined) said.push(t('keystatus.worked', { seconds: secondsOf(workedAt) }));
  said.push(...keyDetails(t, status));
  if (!readable) said.push(keyText({ code: 'key-unreadable' }, context));
  return said;
}
