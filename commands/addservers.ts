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
  previewRows,
  reportRows,
} from '../src/discord/components/list-controls.ts';
import { LIMITS } from '../src/discord/limits.ts';
import type { GuildSettings } from '../src/guilds/settings.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog, Suggestions } from '../src/listing/game-catalog.ts';
import { gamesAmong } from '../src/listing/game-search.ts';
import { readWithGames } from '../src/server-lists/read-list.ts';
import { asksForGame, type Draft, lacksGame } from '../src/submissions/draft.ts';
import {
  type Editing,
  isSeenInPreview,
  type ListDrafts,
  linesToEdit,
  MOST_TYPED,
  type Prepared,
  withDefaultGame,
} from '../src/submissions/list-drafts.ts';
import type { NoDraft, Pipeline } from '../src/submissions/pipeline.ts';
import { UserError } from '../src/user-error.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { gameChoices, gameOptions, severalGamesText, unusableGameText } from '../src/words/games.ts';
import { previewOf } from '../src/words/list-preview.ts';
import { canGoAgain, progressOf, reportOf } from '../src/words/list-report.ts';
import { announcementOf, pageOfUnknown } from '../src/words/outcome.ts';
import { fileProblemText, unreadableText } from '../src/words/problem.ts';
import { type GuildKeys, isAboutKey, keyOf, noKeyOf, noList, refusalText } from '../src/words/refusal.ts';
import { enterKey } from './setkey.ts';

/** What a draft is opened with and shown. */
export interface DraftDeps {
  readonly drafts: ListDrafts;
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'find' | 'refresh' | 'refreshSoon'>;
  readonly settings: Pick<GuildSettings, 'get'>;
  readonly keys: GuildKeys;
}

export interface AddServersDeps extends DraftDeps {
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
      paste: {
        answer: 'reply',
        async run(context) {
          const [game, content] = [context.field('game'), context.field('servers')];
          return oneAtATime(context, () => openList(context, { game, content }, deps));
        },
      },
      game: { answer: 'update', run: (context) => chooseGame(context, context.field('game'), deps) },
      edit: { answer: 'update', run: (context) => edit(context, 'refused', deps) },
      // The report stays where it is.
      correct: { answer: 'reply', run: (context) => edit(context, 'all', deps) },
    },
    presses: {
      submit: { answer: 'update', resumes: true, run: (context) => submitList(context, deps) },
      edit: { answer: 'modal', run: (context) => openEdit(context, 'refused', deps) },
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
  return pasteModal(context, { id: listId('paste'), game, most: MOST_TYPED });
};

async function readFile({ t }: Context, { name, url }: Attachment, deps: AddServersDeps): Promise<Buffer> {
  const isKnown = FILE_TYPES.some((extension) => name.toLowerCase().endsWith(extension));
  if (!isKnown) throw new UserError(fileProblemText('kind', t));
  const read = await deps.attachments.read(url);
  if (read.ok) return read.bytes;
  throw new UserError(fileProblemText(read.problem, t));
}

/**
 * Reads a list that was pasted or uploaded, and shows what would be submitted.
 * @throws UserError when it cannot be read as a list at all
 */
async function openList(
  context: Context,
  { game: typed, content }: { readonly game: string; readonly content: string | Attachment },
  deps: AddServersDeps,
): Promise<Reply> {
  const key = await keyOf(context.guildId, deps.keys);
  const game = typed.trim();
  const text = typeof content === 'string' ? content : await readFile(context, content, deps);
  const read = (typedGame: string) => readWithGames({ content: text, game: typedGame }, deps.games, key);
  const first = await read(game);
  const games = await allowedGames(context, deps);
  const found = games.find(game);
  const usable = found && games.isAllowed(found) ? found : undefined;
  // Lines that would have a game that is not allowed lack one, and another can be chosen for them.
  const list = found && !usable ? await read('') : first;
  if (list.kind !== 'rows') throw new UserError(unreadableText(list, context.t));
  if (list.rows.length === 0) throw new UserError(context.t('list.file.empty'));
  const notice = game === '' || usable ? '' : unusableGameText(context, game, games);
  const rows = usable ? withDefaultGame(list.rows, usable.alias) : list.rows;
  return openDraft(context, { source: 'text', rows, notice }, deps);
}

/** Keeps a new draft under the interaction, and shows what it would submit, below the notice if there is one. */
export const openDraft = async (
  context: Context,
  { notice, ...read }: Pick<Draft, 'source' | 'rows'> & Pick<Shown, 'notice'>,
  deps: DraftDeps,
): Promise<Reply> =>
  showDraft(context, await deps.drafts.open(context, context.interactionId, read), { notice }, deps);

interface Shown {
  /** Something to say first. */
  readonly notice?: string | undefined;
  /** The games to choose from, where they are not all. */
  readonly choice?: readonly Game[];
}

/**
 * What a draft would submit now.
 * @throws UserError when it was submitted or cancelled meanwhile
 */
async function showDraft(
  context: Context,
  prepared: Prepared | NoDraft,
  { notice, choice }: Shown,
  deps: DraftDeps,
): Promise<Reply> {
  if (typeof prepared === 'string') throw noList(prepared, context.t);
  const some = await allowedGames(context, deps);
  const { id, draft, room, edits, canTryAgain } = prepared;
  const noKey = await noKeyOf(context.guildId, deps.keys);
  const notices = [noKey && refusalText(noKey, context, some), notice].filter(Boolean).join('\n\n');
  return {
    ...previewOf(context, prepared, some, notices),
    components: previewRows(context, {
      id,
      first: noKey && enterKey(context),
      submits: asksForGame(draft) ? 0 : room.count,
      edits: edits.refused + edits.lacking,
      canTryAgain,
      previous: draft.previous.length,
      includesPrevious: draft.includesPrevious,
      ...(draft.rows.some(lacksGame) && { games: gameOptions(choice ?? some.all) }),
    }),
  };
}

/** The games that may be submitted in the guild. */
const allowedGames = async ({ guildId }: Context, { games, settings }: DraftDeps) =>
  gamesAmong(games, (await settings.get(guildId)).games);

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
  const draft = await drafts.find(context, context.argument);
  if (typeof draft === 'string') throw noList(draft, context.t);
  const action = which === 'all' ? 'correct' : 'edit';
  const { text } = linesToEdit(draft, which);
  return editModal(context, { id: listId(action, context.argument), text, most: MOST_TYPED });
}

/** The lines as they were corrected, in place of those that were opened. */
async function edit(context: SubmitContext, which: Editing, deps: DraftDeps): Promise<Reply> {
  const { t, argument: id, interactionId: newId } = context;
  const typed = context.field('servers');
  const key = await keyOf(context.guildId, deps.keys);
  const edited = await deps.drafts.edit(context, { id, newId, typed, which }, key);
  if ('kind' in edited) throw new UserError(unreadableText(edited, t));
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
  // Once servers are sent nothing may fail that is not needed to report on them.
  const games = await allowedGames(context, deps);
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
  const noKey = outcomes.some(isAboutKey) ? await noKeyOf(guildId, deps.keys) : undefined;
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
