import { withoutEnds } from '../src/addresses/pasted-text.ts';
import type { KeyStatus } from '../src/guilds/api-keys.ts';
import type { Command, Context, Reply, SubmitContext } from '../src/interactions/command.ts';
import {
  button,
  type Control,
  customId,
  type Modal,
  markOf,
  modal,
  rows,
} from '../src/interactions/controls.ts';
import type { GamesOutcome } from '../src/listing/contract.ts';
import type { TooSoonOutcome } from '../src/listing/key-trials.ts';
import { Secret } from '../src/text/secret.ts';
import { memberText } from '../src/words/escape.ts';
import { keyDetails, namingKey, tooSoonText } from '../src/words/keys.ts';
import { saidOf, withSaid } from '../src/words/outcomes.ts';
import { sentences } from '../src/words/sentences.ts';
import { withSign } from '../src/words/servers.ts';
import { failureText } from '../src/words/service.ts';
import type { Translate } from '../src/words/words.ts';
import type { CommandDeps } from './deps.ts';
import { logChannelSelect } from './settings/log-channel.ts';
import { notifyRoleSelect } from './settings/notify-role.ts';
import { firstDayText, keyLine, nextText } from './settings/text.ts';
import { slashCommand } from './slash-command.ts';
import { submitId } from './submit/ids.ts';

/** The service doesn't document a limit (specification §5), but real keys are far shorter. */
const MAX_KEY_LENGTH = 500;

/**
 * /setkey: asks for the guild's API key in a modal, never as a command argument. Tests the key with `action=games` and
 * stores it only if the service accepts it.
 */
export function setKey({
  keyTrials,
  games,
  keys,
  guildLog,
  settings,
  panels,
  drafts,
  logger,
}: CommandDeps): Command {
  async function save(context: SubmitContext): Promise<Reply> {
    const { t, interactionId, guildId, user } = context;
    const typed = keyIn(context.field('key'));
    if (typed === '') return enterAgain(context, withSign('not-sent', t('setkey.empty')));
    const key = new Secret(typed);
    // Reads the status before testing the key: if the store fails, the admin sees the error and the key stays unchanged.
    const previous = await keys.status(guildId);
    const { mark } = readArgument(context.argument);
    if (mark !== undefined && mark !== markOfKey(previous)) return enterAfterChange(context);
    const hadKey = previous?.readable === true;
    const outcome = await keyTrials.run({ interactionId, guildId, memberId: user.id }, key);
    if (outcome.kind === 'games') {
      await games.accept(outcome.games);
      const isSaved = await keys.set(guildId, key, { by: user, previous });
      if (!isSaved) return enterAfterChange(context);
      if (previous) logger.info({ interactionId, guildId }, "replaced a guild's API key");
      await guildLog.add(guildId, (words) => logLine(words, user, key));
      const content = withSign('accepted', savedText(context, key));
      const submits = await submitNow(context);
      return hadKey ? { content, components: rows([submits]) } : firstKeyReply(context, content, submits);
    }
    const why = whyUnsaved(outcome, t);
    return enterAgain(context, hadKey ? `${why}\n${t('setkey.previousStays')}` : why);
  }

  /** Builds the reply after another admin has changed the key. It shows the key that the next form would replace. */
  async function enterAfterChange(context: SubmitContext): Promise<Reply> {
    const { t, guildId } = context;
    const stored = await keys.status(guildId);
    const said = withSign('not-sent', sentences(t('setkey.notSaved'), t('setkey.changedSince')));
    const details = stored === undefined ? [] : keyDetails(t, stored);
    return enterAgain(context, [said, '', keyLine(t, stored), ...details].join('\n'));
  }

  async function firstKeyReply(
    context: Context,
    content: string,
    submits: Control | undefined,
  ): Promise<Reply> {
    const [now, key, standing] = await Promise.all([
      settings.getOrThrow(context.guildId),
      keys.status(context.guildId),
      panels.of(context.guildId),
    ]).catch(
      // The key is already stored, so a failure here must not suggest otherwise.
      () => [],
    );
    if (now === undefined) return { content, components: rows([submits]) };
    const shown = { now, key, panels: standing };
    const texts = [content, firstDayText(context, shown), nextText(context, shown)];
    const { t } = context;
    const lacksRole = now.notifyRoleId === undefined && notifyRoleSelect(t, now, '');
    return {
      content: texts.filter(Boolean).join('\n\n'),
      components: rows(
        [submits],
        [now.logChannelId === undefined ? logChannelSelect(t, now, '') : lacksRole],
      ),
    };
  }

  /** Builds the button for a draft that couldn't be submitted without a key; `undefined` if there is no such draft. */
  async function submitNow(context: SubmitContext): Promise<Control | undefined> {
    const { t, argument } = context;
    const { draftId: id } = readArgument(argument);
    const draft = id === '' ? undefined : await drafts.find(context, id).catch(() => undefined);
    if (draft === undefined || draft.kind === 'no-draft') return undefined;
    return button(submitId('send', id), t('again.submitAgain'), 'primary');
  }

  /**
   * Opens the form. Its custom id contains a mark of the key that it replaces.
   * @param action `save` to reply in a new message, `again` to update the message
   */
  async function keyModal({ t, guildId }: Context, action: 'save' | 'again', draftId = ''): Promise<Modal> {
    const previous = await keys.status(guildId);
    const replaces = previous && namingKey(previous.lastFour, (key) => t('setkey.replaces', { key }));
    return modal({
      id: customId('setkey', action, `${draftId}:${markOfKey(previous)}`),
      title: t('setkey.title'),
      // Omits a warning about passwords, because Discord's modals already have one.
      text: sentences(replaces, t('setkey.about')),
      fields: [
        {
          id: 'key',
          label: t('settings.key.name'),
          hint: t('setkey.hint'),
          minLength: 1,
          maxLength: MAX_KEY_LENGTH,
        },
      ],
      isSecret: true,
    });
  }

  return {
    data: slashCommand('setkey'),
    permission: 'manage-guild',
    answers: 'modal',
    run: (context) => keyModal(context, 'save'),
    presses: {
      enter: { answers: 'modal', run: (context) => keyModal(context, 'save', context.argument) },
      // The rejected key isn't stored, so the admin has to enter it again.
      again: { answers: 'modal', run: (context) => keyModal(context, 'again', context.argument) },
    },
    submits: {
      save: { answers: 'later', run: save },
      again: { answers: 'sending', run: save },
    },
  };
}

/**
 * Builds the button shown to admins when a key is missing. It opens the /setkey modal, whose reply is a new message.
 * @param draftId the draft that can be submitted once the key is set
 */
export const enterKey = ({ t, isAdmin }: Pick<Context, 't' | 'isAdmin'>, draftId?: string): Control | false =>
  isAdmin && button(customId('setkey', 'enter', draftId), t('key.enter'), 'primary');

const enterAgain = ({ t, argument }: SubmitContext, content: string): Reply => ({
  content,
  components: rows([
    button(customId('setkey', 'again', readArgument(argument).draftId), t('key.enter'), 'primary'),
  ]),
});

/** Parses the argument in the form's custom id. Version 0.4.0's forms don't have a mark. */
function readArgument(argument: string) {
  const [draftId = '', mark] = argument.split(':');
  return { draftId, mark };
}

/** Returns a mark that changes whenever an admin sets or removes the key. */
const markOfKey = (key: KeyStatus | undefined): string => markOf(key?.setAt ?? '');

function whyUnsaved(
  outcome: Exclude<GamesOutcome, { kind: 'games' }> | TooSoonOutcome,
  t: Translate,
): string {
  if (outcome.kind === 'too-soon') return tooSoonText(outcome, t);
  if (outcome.kind === 'rejected') {
    const isLimited = outcome.retryAfterMs !== undefined;
    const text = withSaid(t, outcome, t('setkey.notSaved'), saidOf(t, outcome));
    return `${text}\n${t(isLimited ? 'setkey.untried' : 'setkey.rejected')}`;
  }
  return withSign('not-sent', sentences(t('setkey.notSaved'), failureText(outcome, t), t('setkey.untried')));
}

const QUOTE = /[\s"'`“”„]/u;
const withoutQuotes = (text: string): string => withoutEnds(text, { start: QUOTE, end: QUOTE });

/** Removes quotation marks around a key, and the word in front of a key in HTTP headers (RFC 6750). */
const keyIn = (typed: string): string =>
  withoutQuotes(withoutQuotes(typed).replace(/^(?:authorization:\s*)?bearer\s+/iu, ''));

const savedText = ({ t, mention }: Context, key: Secret): string =>
  namingKey(key.lastFour(), (end) => t('setkey.saved', { key: end, addserver: mention('addserver') }));

const logLine = (t: Translate, user: Context['user'], key: Secret): string =>
  `🔑 ${namingKey(key.lastFour(), (end) => t('guildLog.keySet', { member: memberText(user), key: end }))}`;
