import { ApplicationCommandOptionType, ApplicationCommandType, type Attachment } from 'discord.js';
import type { Attachments } from '../src/discord/attachments.ts';
import type {
  Command,
  CommandContext,
  Context,
  PressContext,
  Reply,
  SubmitContext,
} from '../src/discord/command.ts';
import type { Modal } from '../src/discord/components/controls.ts';
import {
  editModal,
  gameModal,
  listId,
  pasteModal,
  reportRows,
  retypeRows,
} from '../src/discord/components/list-controls.ts';
import { LIMITS } from '../src/discord/limits.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import type { Suggestions } from '../src/listing/game-catalog.ts';
import { gamesAmong } from '../src/listing/game-search.ts';
import { decodeText, readWithGames } from '../src/server-lists/read-list.ts';
import {
  type Editing,
  isSeenInPreview,
  linesToEdit,
  MOST_TYPED,
  withDefaultGame,
} from '../src/submissions/list-drafts.ts';
import type { Pipeline } from '../src/submissions/pipeline.ts';
import { UserError } from '../src/user-error.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { gameChoices, severalGamesText, unusableGameText } from '../src/words/games.ts';
import { canGoAgain, progressOf, reportOf } from '../src/words/list-report.ts';
import { announcementOf, pageOfUnknown } from '../src/words/outcome.ts';
import { fileProblemText, unreadableText } from '../src/words/problem.ts';
import { keyOf, noKeyAfter, noList, refusalText } from '../src/words/refusal.ts';
import type { Translate } from '../src/words/words.ts';
import { enterKey } from './setkey.ts';
import { allowedGames, type DraftDeps, openDraft, showDraft } from './submit-message.ts';

export interface AddServersDeps extends DraftDeps {
  readonly settings: Pick<GuildSettings, 'get' | 'allowedGames'>;
  readonly pipeline: Pipeline;
  readonly attachments: Pick<Attachments, 'read'>;
  readonly suggestions: Pick<Suggestions, 'games'>;
}

const FILE_TYPES = ['.txt', '.csv', '.json'] as const;

const DATA: Command['data'] = {
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
};

/**
 * /addservers: takes a list from a file or a window to paste into, shows what it would submit, and submits it on a
 * button. The buttons of the message command belong here too.
 */
export function addServers(deps: AddServersDeps): Command {
  /** Members whose list is being read. */
  const readers = new Set<string>();

  /** @throws UserError while another list of the member is being read, here or in another guild */
  async function oneAtATime({ t, user }: Context, read: () => Promise<Reply>): Promise<Reply> {
    if (readers.has(user.id)) throw new UserError(t('list.stillReading'));
    readers.add(user.id);
    return read().finally(() => readers.delete(user.id));
  }

  async function readTyped(context: SubmitContext): Promise<Reply> {
    const [game, text] = [context.field('game'), context.field('servers')];
    if (readers.has(context.user.id)) {
      return keepTyped(context, { text, game, why: context.t('list.stillReading') }, deps);
    }
    return oneAtATime(context, () => openList(context, { game, content: text }, deps));
  }

  return {
    data: DATA,
    audience: 'member',
    complete: ({ guildId }, typed) => gameChoices(deps.suggestions.games(guildId, typed)),
    opens: (context) => (context.options.getAttachment('file') ? undefined : async () => paste(context)),
    async run(context) {
      const file = context.options.getAttachment('file');
      if (!file) throw new Error('without a file a window is opened');
      const game = context.options.getString('game') ?? '';
      return oneAtATime(context, () => openList(context, { game, content: file }, deps));
    },
    submits: {
      paste: { answer: 'reply', run: readTyped },
      retyped: { answer: 'update', run: readTyped },
      game: { answer: 'update', run: (context) => chooseGame(context, context.field('game'), deps) },
      edit: { answer: 'update', run: (context) => edit(context, 'refused', deps) },
      // The report stays where it is.
      correct: { answer: 'reply', run: (context) => edit(context, 'all', deps) },
    },
    presses: {
      submit: { answer: 'update', resumes: true, run: (context) => submitList(context, deps) },
      edit: { answer: 'modal', run: (context) => openEdit(context, 'refused', deps) },
      retype: { answer: 'modal', run: (context) => retype(context, deps) },
      editall: { answer: 'modal', run: (context) => openEdit(context, 'all', deps) },
      previous: {
        answer: 'update',
        run: async (context) =>
          showDraft(context, await deps.drafts.togglePrevious(context, context.argument), {}, deps),
      },
      cancel: { answer: 'update', run: (context) => cancel(context, deps) },
      game: { answer: 'update', run: (context) => chooseGame(context, context.values[0] ?? '', deps) },
      askgame: {
        answer: 'modal',
        run: async (context) => gameModal(context, listId('game', context.argument)),
      },
    },
  };
}

const paste = (context: CommandContext) => {
  const game = context.options.getString('game') ?? '';
  return pasteModal(context, { id: listId('paste'), text: '', game, most: MOST_TYPED });
};

/** Gives back the text of a list that is not read, to be corrected, as far as a window takes it. */
async function keepTyped(
  context: Context,
  { text, game, why }: Record<'text' | 'game' | 'why', string>,
  { drafts }: DraftDeps,
): Promise<Reply> {
  const { t, interactionId: id } = context;
  const isKept = await drafts.keepTyped(context, id, { text, game });
  const components = isKept ? retypeRows(context, id) : [];
  return { isRefusal: true, content: `${why} ${keptText(isKept, t)}`, components };
}

const keptText = (isKept: boolean, t: Translate): string =>
  isKept ? t('list.typed.kept') : t('list.typed.tooLong', { most: MOST_TYPED });

/** The window into which a list is pasted, with what was typed before. */
async function retype(context: DraftContext, { drafts }: DraftDeps): Promise<Modal> {
  const typed = await drafts.findTyped(context, context.argument);
  if (!typed) throw noList('gone', context.t);
  return pasteModal(context, { id: listId('retyped'), ...typed, most: MOST_TYPED });
}

async function readFile({ t }: Context, { name, url }: Attachment, deps: AddServersDeps): Promise<Buffer> {
  const isKnown = FILE_TYPES.some((extension) => name.toLowerCase().endsWith(extension));
  if (!isKnown) throw new UserError(fileProblemText('kind', t));
  const read = await deps.attachments.read(url);
  if (read.ok) return read.bytes;
  throw new UserError(fileProblemText(read.problem, t));
}

/**
 * Reads a list that was pasted or uploaded, and shows what would be submitted.
 * @throws UserError when it is no text
 */
async function openList(
  context: Context,
  { game: typed, content }: { readonly game: string; readonly content: string | Attachment },
  deps: AddServersDeps,
): Promise<Reply> {
  const key = await keyOf(context.guildId, deps.keys);
  const game = typed.trim();
  const text = typeof content === 'string' ? content : decodeText(await readFile(context, content, deps));
  if (text === undefined) throw new UserError(unreadableText({ kind: 'binary' }, context.t));
  const read = (typedGame: string) => readWithGames({ content: text, game: typedGame }, deps.games, key);
  const first = await read(game);
  const games = await allowedGames(context, deps);
  const found = games.find(game);
  const usable = found && games.isAllowed(found) ? found : undefined;
  // Lines that would have a game that is not allowed lack one, and another can be chosen for them.
  const list = found && !usable ? await read('') : first;
  if (list.kind === 'binary') throw new UserError(unreadableText(list, context.t));
  if (list.kind !== 'rows')
    return keepTyped(context, { text, game, why: unreadableText(list, context.t) }, deps);
  if (list.rows.length === 0)
    return keepTyped(context, { text, game, why: context.t('list.file.empty') }, deps);
  const notice = game === '' || usable ? '' : unusableGameText(context, game, games);
  const rows = usable ? withDefaultGame(list.rows, usable.alias) : list.rows;
  return openDraft(context, { source: 'text', rows, notice }, deps);
}

/** Of a button or a modal of a draft: its argument is the draft's id. */
type DraftContext = Context & Pick<PressContext, 'argument'>;

/** What was chosen in the select, or typed in, as the game of the rows that lack one. */
async function chooseGame(context: DraftContext, typed: string, deps: DraftDeps): Promise<Reply> {
  const games = await allowedGames(context, deps);
  const found = games.find(typed);
  const matches = found ? [found].filter(games.isAllowed) : games.search(typed);
  const [game, ...others] = matches;
  if (game && others.length === 0) {
    return showDraft(context, await deps.drafts.chooseGame(context, context.argument, game.alias), {}, deps);
  }
  const notice = game ? severalGamesText(context, typed) : unusableGameText(context, typed, games);
  const choice = game ? matches : games.all;
  return showDraft(context, await deps.drafts.anew(context, context.argument), { notice, choice }, deps);
}

/** The window in which lines are corrected. */
async function openEdit(context: DraftContext, which: Editing, { drafts }: DraftDeps): Promise<Modal> {
  const id = context.argument;
  const action = which === 'all' ? 'correct' : 'edit';
  const typed = await drafts.findTyped(context, `${id}-${which}`);
  const draft = typed ? undefined : await drafts.find(context, id);
  if (typeof draft === 'string') throw noList(draft, context.t);
  const text = typed?.text ?? (draft ? linesToEdit(draft, which).text : '');
  return editModal(context, { id: listId(action, id), text, most: MOST_TYPED });
}

/** The lines as they were corrected, in place of those that were opened. */
async function edit(context: SubmitContext, which: Editing, deps: DraftDeps): Promise<Reply> {
  const { t, argument: id, interactionId: newId } = context;
  const typed = context.field('servers');
  const key = await keyOf(context.guildId, deps.keys);
  const edited = await deps.drafts.edit(context, { id, newId, typed, which }, key);
  if ('kind' in edited) {
    // Its Edit opens that from now on.
    const isKept = await deps.drafts.keepTyped(context, `${id}-${which}`, { text: typed, game: '' });
    throw new UserError(`${unreadableText(edited, t)} ${keptText(isKept, t)}`);
  }
  await deps.drafts.forgetTyped(context, `${id}-${which}`);
  const notice = 'instead' in edited ? t('list.edit.gone') : undefined;
  return showDraft(context, edited, { notice }, deps);
}

async function cancel(context: DraftContext, { drafts }: DraftDeps): Promise<Reply> {
  const why = await drafts.drop(context, context.argument);
  if (why !== undefined) throw noList(why, context.t);
  return { content: context.t('list.cancelled') };
}

/** Sends what is ready in the draft, once, and reports what came of every line. */
async function submitList(context: PressContext, deps: AddServersDeps): Promise<Reply> {
  const { t, argument: id, guildId, interactionId, receivedAt, user, stopping } = context;
  const result = await deps.pipeline.submit({
    ...{ guildId, interactionId, receivedAt, user, id, stopping },
    onProgress: (done, count) => context.progress(progressOf(context, done, count)),
  });
  if (result.kind === 'no-draft') throw noList(result.why, t);
  if (result.kind === 'refused') {
    const { refusal } = result;
    // The preview was true when it was made: somebody was faster, or an admin has changed what is allowed.
    if (!isSeenInPreview(refusal)) throw new UserError(refusalText(refusal, context, deps.games));
    const notice = refusal.code.startsWith('key-') ? '' : refusalText(refusal, context, deps.games);
    return showDraft(context, await deps.drafts.anew(context, id), { notice }, deps);
  }
  const { restId, outcomes } = result;
  // The pipeline has just read the settings; and once servers are sent nothing may fail that only reports on them.
  const games = gamesAmong(deps.games, deps.settings.allowedGames(guildId));
  const noKey = await noKeyAfter(outcomes, guildId, deps.keys);
  const announcement = announcementOf(context, result, deps.games);
  return {
    ...reportOf(context, { ...result, noKey }, games),
    components: reportRows(context, {
      id: restId,
      first: noKey && enterKey(context),
      canGoAgain: canGoAgain(result),
      page: pageOfUnknown(context, result),
    }),
    ...(announcement !== undefined && { announcement }),
  };
}
