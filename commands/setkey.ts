import { ApplicationCommandType } from 'discord.js';
import type { Command, Context, Reply } from '../src/discord/command.ts';
import { type Modal, modal } from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import type { GuildLog } from '../src/discord/guild-log.ts';
import type { ApiKeys } from '../src/guilds/api-keys.ts';
import type { KeyTrials } from '../src/guilds/key-trials.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { Secret } from '../src/secret.ts';
import { UndecryptableError } from '../src/storage/encryption.ts';
import { UserError } from '../src/user-error.ts';
import { commandText } from '../src/words/command-text.ts';
import { escapeCode, escapeText } from '../src/words/escape.ts';
import { memberText } from '../src/words/guild-log.ts';
import { failureText, serviceWords, tooSoonText } from '../src/words/service.ts';
import type { Translate } from '../src/words/words.ts';

export interface SetKeyDeps {
  readonly keyTrials: KeyTrials;
  readonly games: Pick<GameCatalog, 'accept'>;
  readonly keys: Pick<ApiKeys, 'get' | 'set'>;
  readonly guildLog: Pick<GuildLog, 'tell'>;
}

/** The service does not say how long a key may be (specification §5); this is far above any in use. */
const MAX_KEY_LENGTH = 500;

/**
 * /setkey: takes the guild's API key in a modal, so that it is never a command argument, tries it with
 * `action=games`, and keeps it only if the service takes it.
 */
export function setKey({ keyTrials, games, keys, guildLog }: SetKeyDeps): Command {
  /** The key in use; one that can no longer be read counts as none, since a new one may replace it. */
  async function previousKey(guildId: string): Promise<Secret | undefined> {
    try {
      return await keys.get(guildId);
    } catch (error) {
      if (error instanceof UndecryptableError) return undefined;
      throw error;
    }
  }

  async function save(context: Context, key: Secret): Promise<Reply> {
    const { t, guildId, user } = context;
    // Before the service is asked, so that a store that fails is said while nothing has been done.
    const previous = await previousKey(guildId);
    const outcome = await keyTrials.run(guildId, key);
    if (outcome.kind === 'too-soon') throw new UserError(tooSoonText(outcome, t));
    if (outcome.kind === 'games') {
      await games.accept(outcome.games);
      await keys.set(guildId, key, { userId: user.id });
      await guildLog.tell(guildId, (words) => changeText(words, user, key, previous !== undefined));
      return { content: savedText(context, key, previous !== undefined) };
    }
    const problem =
      outcome.kind === 'rejected'
        ? t('setkey.rejected', { message: escapeText(serviceWords(outcome.message, t)) })
        : t('setkey.untested', { reason: failureText(outcome, t) });
    const state = previous
      ? t('setkey.formerStays')
      : t('setkey.noneYet', { setkey: context.mention('setkey') });
    return { content: `${problem}\n${state}` };
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('setkey'),
    },
    permission: 'manage-guild',
    audience: 'none',
    async run(context) {
      return keyModal(context);
    },
    submits: {
      save: {
        answer: 'reply',
        async run(context) {
          const key = context.field('key').trim();
          if (key === '') throw new UserError(context.t('setkey.empty'));
          return save(context, new Secret(key));
        },
      },
    },
  };
}

const keyModal = ({ t }: Context): Modal =>
  modal({
    id: customId('setkey', 'save'),
    title: t('setkey.title'),
    fields: [{ id: 'key', label: t('setkey.label'), hint: t('setkey.hint'), least: 1, most: MAX_KEY_LENGTH }],
  });

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
