import { ApplicationCommandOptionType, ApplicationCommandType, type Attachment } from 'discord.js';
import type { Attachments } from '../src/discord/attachment.ts';
import type { Command, Context, PressContext, Reply } from '../src/discord/command.ts';
import { type Modal, modal } from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import { LIMITS } from '../src/discord/limits.ts';
import { UserError } from '../src/user-error.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { gameChoices } from '../src/words/games.ts';
import { cut } from '../src/words/shorten.ts';
import { gameModal } from './batch-components.ts';
import { chooseGame } from './batch-game.ts';
import { draftOf, MOST_FILE_BYTES, showDraft } from './batch-opening.ts';
import { openList } from './batch-reading.ts';
import { type SubmitListDeps, submitList } from './batch-submitting.ts';
import { guildKey } from './guild-key.ts';

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
  async function oneAtATime({ t, user }: Context, read: () => Promise<Reply>): Promise<Reply> {
    if (readers.has(user.id)) throw new UserError(t('bulk.stillReading'));
    readers.add(user.id);
    try {
      return await read();
    } finally {
      readers.delete(user.id);
    }
  }

  async function readFile({ t }: Context, { name, url }: Attachment): Promise<Buffer> {
    const isKnown = FILE_TYPES.some((ending) => name.toLowerCase().endsWith(ending));
    if (!isKnown) throw new UserError(t('bulk.file.kind'));
    const read = await deps.attachments.read(url);
    if (read.ok) return read.bytes;
    if (read.problem === 'too-large')
      throw new UserError(t('bulk.file.tooLarge', { kib: MOST_FILE_BYTES / 1024 }));
    throw new UserError(t(read.problem === 'foreign' ? 'bulk.file.foreign' : 'bulk.file.unavailable'));
  }

  async function toggleFormer(context: PressContext): Promise<Reply> {
    const draft = await draftOf(context, deps);
    const changed = { ...draft, includesFormer: !draft.includesFormer };
    return showDraft(context, { id: context.argument, draft: changed }, deps);
  }

  async function cancel(context: PressContext): Promise<Reply> {
    await draftOf(context, deps);
    const isDropped = await deps.records.dropDraft(context.guildId, context.argument);
    if (!isDropped) throw new UserError(context.t('bulk.gone'));
    return { content: context.t('bulk.cancelled') };
  }

  return {
    data: {
      type: ApplicationCommandType.ChatInput,
      ...commandText('addservers'),
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
    opens: (context) =>
      context.options.getAttachment('file')
        ? undefined
        : async () => pasteModal(context, context.options.getString('game') ?? ''),
    async run(context) {
      const file = context.options.getAttachment('file');
      if (!file) throw new Error('without a file a window is opened');
      return oneAtATime(context, async () => {
        const key = await guildKey(context, deps.keys);
        const content = await readFile(context, file);
        return openList(
          context,
          { content, game: (context.options.getString('game') ?? '').trim(), key },
          deps,
        );
      });
    },
    submits: {
      paste: {
        answer: 'reply',
        run: (context) =>
          oneAtATime(context, async () => {
            const key = await guildKey(context, deps.keys);
            const [content, game] = [context.field('servers'), context.field('game').trim()];
            return openList(context, { content, game, key }, deps);
          }),
      },
      game: { answer: 'update', run: (context) => chooseGame(context, context.field('game'), deps) },
    },
    presses: {
      submit: { answer: 'update', resumes: true, run: (context) => submitList(context, deps) },
      former: { answer: 'update', run: toggleFormer },
      cancel: { answer: 'update', run: cancel },
      game: { answer: 'update', run: (context) => chooseGame(context, context.values[0] ?? '', deps) },
      askgame: { answer: 'modal', run: async (context) => gameModal(context, context.argument) },
    },
  };
}

const pasteModal = ({ t }: Context, game: string): Modal =>
  modal({
    id: customId('addservers', 'paste'),
    title: t('bulk.modal.title'),
    fields: [
      {
        id: 'servers',
        label: t('bulk.modal.servers'),
        hint: t('bulk.modal.serversHint'),
        example: t('bulk.modal.example'),
        least: 1,
        most: MOST_PASTED,
        long: true,
      },
      {
        id: 'game',
        label: t('bulk.modal.game'),
        hint: t('bulk.modal.gameHint'),
        value: cut(game, LIMITS.choiceValue),
        most: LIMITS.choiceValue,
      },
    ],
  });
