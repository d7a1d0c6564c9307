import { ApplicationCommandType } from 'discord.js';
import type { Command, Context, Reply, SubmitContext } from '../src/discord/command.ts';
import {
  button,
  type Control,
  customId,
  type Modal,
  modal,
  rows,
} from '../src/discord/components/controls.ts';
import type { GuildLog } from '../src/discord/guild-log.ts';
import type { LogChoiceDeps } from '../src/discord/log-channel.ts';
import type { ApiKeys } from '../src/guilds/api-keys.ts';
import type { KeyTrials, TooSoon } from '../src/guilds/key-watch.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import type { GamesOutcome } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { Secret } from '../src/secret.ts';
import { UndecryptableError } from '../src/storage/collection.ts';
import { commandText } from '../src/words/command-text.ts';
import { serviceWords } from '../src/words/outcome.ts';
import { failureText, tooSoonText } from '../src/words/refusal.ts';
import { escapeCode, escapeText, memberText, type Translate } from '../src/words/words.ts';
import { logChannelSelect } from './settings.ts';

export interface SetKeyDeps {
  readonly keyTrials: KeyTrials;
  readonly games: Pick<GameCatalog, 'accept'>;
  readonly keys: Pick<ApiKeys, 'get' | 'set'>;
  readonly guildLog: Pick<GuildLog, 'tell'>;
  readonly settings: Pick<GuildSettings, 'get'>;
  readonly addBotLink: LogChoiceDeps['addBotLink'];
}

/** The service does not say how long a key may be (specification §5); this is far above any in use. */
const MAX_KEY_LENGTH = 500;

/**
 * /setkey: takes the guild's API key in a modal, so that it is never a command argument, tries it with
 * `action=games`, and keeps it only if the service takes it.
 */
export function setKey({ keyTrials, games, keys, guildLog, settings, addBotLink }: SetKeyDeps): Command {
  /** The key in use; one that can no longer be read counts as none, since a new one may replace it. */
  async function previousKey(guildId: string): Promise<Secret | undefined> {
    try {
      return await keys.get(guildId);
    } catch (error) {
      if (error instanceof UndecryptableError) return undefined;
      throw error;
    }
  }

  async function save(context: SubmitContext): Promise<Reply> {
    const { t, guildId, user } = context;
    const typed = context.field('key').trim();
    if (typed === '') return tryAgain(context, t('setkey.empty'));
    const key = new Secret(typed);
    // Before the service is asked, so that a store that fails is said while nothing has been done.
    const previous = await previousKey(guildId);
    const outcome = await keyTrials.run(context, key);
    if (outcome.kind === 'games') {
      await games.accept(outcome.games);
      await keys.set(guildId, key, { userId: user.id });
      await guildLog.tell(guildId, (words) => changeText(words, user, key, previous !== undefined));
      const content = savedText(context, key, previous !== undefined);
      return previous === undefined ? withLogPrompt(context, content) : { content };
    }
    const state = t(previous ? 'setkey.previousStays' : 'setkey.stillNone');
    return tryAgain(context, `${whyUnsaved(outcome, t)}\n${state}`);
  }

  /** After a first key: also where its log is to be, where that can be chosen and is not. */
  async function withLogPrompt(context: Context, content: string): Promise<Reply> {
    // The key is kept by now: not knowing is no failure.
    const chosen = await settings.get(context.guildId).catch(() => undefined);
    const isAsked = chosen !== undefined && chosen.logChannelId === undefined;
    if (!isAsked || (await addBotLink(context.guildId)) !== undefined) return { content };
    return {
      content: `${content}\n\n${context.t('setkey.chooseLog')}`,
      components: rows([logChannelSelect(context)]),
    };
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('setkey'),
    },
    permission: 'manage-guild',
    audience: 'none',
    async run(context) {
      return keyModal(context, 'save');
    },
    presses: {
      enter: { answer: 'modal', run: async (context) => keyModal(context, 'save') },
      // The key is kept nowhere, so it is asked for again.
      again: { answer: 'modal', run: async (context) => keyModal(context, 'again') },
    },
    submits: {
      save: { answer: 'reply', run: save },
      again: { answer: 'update', run: save },
    },
  };
}

/** For admins, under a message that needs a key: the window of /setkey; what comes of it is a message of its own. */
export const enterKey = ({ t, isAdmin }: Pick<Context, 't' | 'isAdmin'>): Control | false =>
  isAdmin && button(customId('setkey', 'enter'), t('key.enter'), { style: 'primary' });

/** @param action `save` where it is the command's, `again` where it is that of a message that changes */
const keyModal = ({ t }: Context, action: 'save' | 'again'): Modal =>
  modal({
    id: customId('setkey', action),
    title: t('setkey.title'),
    fields: [{ id: 'key', label: t('setkey.label'), hint: t('setkey.hint'), least: 1, most: MAX_KEY_LENGTH }],
  });

const tryAgain = ({ t }: Context, content: string): Reply => ({
  content,
  components: rows([button(customId('setkey', 'again'), t('setkey.again'), { style: 'primary' })]),
});

function whyUnsaved(outcome: Exclude<GamesOutcome, { kind: 'games' }> | TooSoon, t: Translate): string {
  if (outcome.kind === 'too-soon') return tooSoonText(outcome, t);
  if (outcome.kind === 'rejected')
    return t('setkey.rejected', { message: escapeText(serviceWords(outcome.message, t)) });
  return t('setkey.untested', { reason: failureText(outcome, t) });
}

function savedText({ t, mention }: Context, key: Secret, replaced: boolean): string {
  const lastFour = key.lastFour();
  if (replaced)
    return lastFour ? t('setkey.replaced', { lastFour: escapeCode(lastFour) }) : t('setkey.replacedShort');
  const addserver = mention('addserver');
  return lastFour
    ? t('setkey.saved', { lastFour: escapeCode(lastFour), addserver })
    : t('setkey.savedShort', { addserver });
}

/** The entry in the guild's log. */
function changeText(t: Translate, user: Context['user'], key: Secret, replaced: boolean): string {
  const member = memberText(user);
  const lastFour = key.lastFour();
  if (replaced) {
    return lastFour
      ? t('guildLog.keyReplaced', { member, lastFour: escapeCode(lastFour) })
      : t('guildLog.keyReplacedShort', { member });
  }
  return lastFour
    ? t('guildLog.keySet', { member, lastFour: escapeCode(lastFour) })
    : t('guildLog.keySetShort', { member });
}
