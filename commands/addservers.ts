import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  type Attachment,
  LabelBuilder,
  ModalBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import type { Attachments } from '../src/discord/attachment.ts';
import { type Call, type Command, customId, type PressCall, type Reply } from '../src/discord/command.ts';
import { cut, LIMITS } from '../src/discord/limits.ts';
import { UserError } from '../src/user-error.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { gameModal } from './batch-components.ts';
import { chooseGame } from './batch-game.ts';
import { draftOf, MOST_FILE_BYTES, showDraft } from './batch-opening.ts';
import { openList } from './batch-reading.ts';
import { type SubmitListDeps, submitList } from './batch-submitting.ts';
import { gameChoices } from './game-choices.ts';
import { guildKey } from './guild-key.ts';
import { GUILD_ONLY } from './guild-only.ts';

export interface AddServersDeps extends SubmitListDeps {
  readonly attachments: Pick<Attachments, 'read'>;
}

const FILE_TYPES = ['.txt', '.csv', '.json'] as const;
/** What a paragraph field takes (Discord docs: Component Reference, Text Input). */
const MOST_PASTED = 4000;

/**
 * /addservers: takes a list from a file or a window to paste into, shows what it would submit, and submits it on a
 * button. The buttons of the message command belong here too.
 */
export function addServers(deps: AddServersDeps): Command {
  /** Members whose list is being read. */
  const readers = new Set<string>();

  /** @throws UserError while another list of the member is being read, here or in another guild */
  async function oneAtATime({ t, user }: Call, read: () => Promise<Reply>): Promise<Reply> {
    if (readers.has(user.id)) throw new UserError(t('bulk.stillReading'));
    readers.add(user.id);
    try {
      return await read();
    } finally {
      readers.delete(user.id);
    }
  }

  async function readFile({ t }: Call, { name, url }: Attachment): Promise<Buffer> {
    const isKnown = FILE_TYPES.some((ending) => name.toLowerCase().endsWith(ending));
    if (!isKnown) throw new UserError(t('bulk.file.kind'));
    const read = await deps.attachments.read(url);
    if (read.ok) return read.bytes;
    if (read.problem === 'too-large')
      throw new UserError(t('bulk.file.tooLarge', { kib: MOST_FILE_BYTES / 1024 }));
    throw new UserError(t(read.problem === 'foreign' ? 'bulk.file.foreign' : 'bulk.file.unavailable'));
  }

  async function toggleFormer(call: PressCall): Promise<Reply> {
    const draft = await draftOf(call, deps);
    const changed = { ...draft, includesFormer: !draft.includesFormer };
    return showDraft(call, { id: call.argument, draft: changed }, deps);
  }

  async function cancel(call: PressCall): Promise<Reply> {
    await draftOf(call, deps);
    const isDropped = await deps.records.dropDraft(call.guildId, call.argument);
    if (!isDropped) throw new UserError(call.t('bulk.gone'));
    return { content: call.t('bulk.cancelled') };
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('addservers'),
      ...GUILD_ONLY,
      options: [
        {
          type: ApplicationCommandOptionType.Attachment,
          ...optionText('addservers', 'file'),
          file_types: [...FILE_TYPES],
        },
        {
          type: ApplicationCommandOptionType.String,
          ...optionText('addservers', 'game'),
          autocomplete: true,
          max_length: LIMITS.choiceValue,
        },
      ],
    },
    audience: 'member',
    complete: (_call, typed) => gameChoices(deps.games.search(typed)),
    opens: (call) =>
      call.options.getAttachment('file')
        ? undefined
        : async () => pasteModal(call, call.options.getString('game') ?? ''),
    async run(call) {
      const file = call.options.getAttachment('file');
      if (!file) throw new Error('without a file a window is opened');
      return oneAtATime(call, async () => {
        const key = await guildKey(call, deps.keys);
        const content = await readFile(call, file);
        return openList(call, { content, game: (call.options.getString('game') ?? '').trim(), key }, deps);
      });
    },
    submits: {
      paste: {
        answer: 'reply',
        run: (call) =>
          oneAtATime(call, async () => {
            const key = await guildKey(call, deps.keys);
            const [content, game] = [call.field('servers'), call.field('game').trim()];
            return openList(call, { content, game, key }, deps);
          }),
      },
      game: { answer: 'update', run: (call) => chooseGame(call, call.field('game'), deps) },
    },
    presses: {
      submit: { answer: 'update', resumes: true, run: (call) => submitList(call, deps) },
      former: { answer: 'update', run: toggleFormer },
      cancel: { answer: 'update', run: cancel },
      game: { answer: 'update', run: (call) => chooseGame(call, call.values[0] ?? '', deps) },
      askgame: { answer: 'modal', run: async (call) => gameModal(call, call.argument) },
    },
  };
}

function pasteModal({ t }: Call, game: string): ModalBuilder {
  const servers = new TextInputBuilder()
    .setCustomId('servers')
    .setStyle(TextInputStyle.Paragraph)
    .setPlaceholder(t('bulk.modal.example'))
    .setMinLength(1)
    .setMaxLength(MOST_PASTED)
    .setRequired(true);
  const default_ = new TextInputBuilder()
    .setCustomId('game')
    .setStyle(TextInputStyle.Short)
    .setMaxLength(LIMITS.choiceValue)
    .setRequired(false);
  if (game !== '') default_.setValue(cut(game, LIMITS.choiceValue));
  return new ModalBuilder()
    .setCustomId(customId('addservers', 'paste'))
    .setTitle(t('bulk.modal.title'))
    .addLabelComponents(
      new LabelBuilder()
        .setLabel(t('bulk.modal.servers'))
        .setDescription(t('bulk.modal.serversHint'))
        .setTextInputComponent(servers),
      new LabelBuilder()
        .setLabel(t('bulk.modal.game'))
        .setDescription(t('bulk.modal.gameHint'))
        .setTextInputComponent(default_),
    );
}
