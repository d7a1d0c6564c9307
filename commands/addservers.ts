import { ApplicationCommandOptionType, ApplicationCommandType, type Attachment } from 'discord.js';
import type { Command, CommandContext, Context, PressContext, Reply } from '../src/discord/command.ts';
import { button, type Control, modal, type Row, rows, select } from '../src/discord/components/controls.ts';
import { customId } from '../src/discord/components/custom-ids.ts';
import type { Attachments } from '../src/discord/incoming.ts';
import { LIMITS } from '../src/discord/limits.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { gameReading, readWithGames } from '../src/server-lists/read-list.ts';
import { type Draft, lacksGame, previousOf, rowsToSend, withGame } from '../src/submissions/draft.ts';
import type { History } from '../src/submissions/history.ts';
import type { Pipeline } from '../src/submissions/order.ts';
import { isLeft } from '../src/submissions/outcome.ts';
import type { Records } from '../src/submissions/record.ts';
import { UserError } from '../src/user-error.ts';
import { commandText, optionText } from '../src/words/command-text.ts';
import { gameChoices, gameOptions, severalGamesText, unknownGameText } from '../src/words/games.ts';
import { previewOf } from '../src/words/list-preview.ts';
import { progressOf, reportOf } from '../src/words/list-report.ts';
import { announcementOf } from '../src/words/outcome.ts';
import { fileProblemText, unreadableText } from '../src/words/problem.ts';
import { type GuildKeys, guildKey, noListText, refusalText } from '../src/words/refusal.ts';
import { cut } from '../src/words/shorten.ts';

/** What a draft is opened with and shown. */
export interface DraftDeps {
  readonly records: Pick<Records, 'saveDraft' | 'changeDraft' | 'findDraft' | 'dropDraft'>;
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'find' | 'refresh' | 'refreshSoon'>;
  readonly keys: GuildKeys;
  readonly history: Pick<History, 'find'>;
}

export interface AddServersDeps extends DraftDeps {
  readonly pipeline: Pipeline;
  readonly attachments: Pick<Attachments, 'read'>;
}

const FILE_TYPES = ['.txt', '.csv', '.json'] as const;
/** What a paragraph field takes (Discord docs: Component Reference, Text Input). */
const MOST_PASTED = 4000;

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
    complete: (_context, typed) => gameChoices(deps.games.search(typed)),
    opens: (context) => (context.options.getAttachment('file') ? undefined : async () => pasteModal(context)),
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
    },
    presses: {
      submit: { answer: 'update', resumes: true, run: (context) => submitList(context, deps) },
      previous: { answer: 'update', run: (context) => togglePrevious(context, deps) },
      cancel: { answer: 'update', run: (context) => cancel(context, deps) },
      game: { answer: 'update', run: (context) => chooseGame(context, context.values[0] ?? '', deps) },
      askgame: { answer: 'modal', run: async (context) => gameModal(context, context.argument) },
    },
  };
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
 * @throws UserError when it cannot be read as a list at all
 */
async function openList(
  context: Context,
  { game: typed, content }: { readonly game: string; readonly content: string | Attachment },
  deps: AddServersDeps,
): Promise<Reply> {
  const { t } = context;
  const key = await guildKey(context, deps.keys);
  const game = typed.trim();
  const text = typeof content === 'string' ? content : await readFile(context, content, deps);
  const list = await readWithGames({ content: text, game }, deps.games, key);
  if (list.kind !== 'rows') throw new UserError(unreadableText(list, t));
  if (list.rows.length === 0) throw new UserError(t('list.file.empty'));
  const isUnknown = game !== '' && !deps.games.find(game);
  const notice = isUnknown ? unknownGameText(context, game, deps.games) : '';
  return openDraft(context, { source: 'text', rows: list.rows, notice }, deps);
}

/** Keeps a new draft under the interaction, and shows what it would submit, below the notice if there is one. */
export function openDraft(
  context: Context,
  { notice = '', ...read }: Pick<Draft, 'source' | 'rows'> & Pick<Shown, 'notice'>,
  deps: DraftDeps,
): Promise<Reply> {
  const draft = { ...read, previous: [], includesPrevious: false };
  return showDraft(context, { id: context.interactionId, draft, notice, isNew: true }, deps);
}

interface Shown {
  readonly id: string;
  readonly draft: Draft;
  /** Something to say first. */
  readonly notice?: string;
  /** The games to choose from, where they are not all. */
  readonly games?: readonly Game[];
  /** It is not kept yet. */
  readonly isNew?: boolean;
}

/**
 * Keeps a draft whose rows have changed, and shows what it would submit now.
 * @throws UserError when it was submitted or cancelled meanwhile
 */
async function showDraft(
  context: Context,
  shown: Shown,
  { records, games, history }: DraftDeps,
): Promise<Reply> {
  const { id, notice, isNew = false } = shown;
  const previous = await previousOf(context.guildId, shown.draft.rows, history);
  const draft = { ...shown.draft, previous };
  if (isNew) await records.saveDraft(context, id, draft);
  else if (!(await records.changeDraft(context, id, draft)))
    throw new UserError(noListText('gone', context.t));
  return {
    ...previewOf(context, draft, notice),
    components: previewRows(context, { id, draft, games: shown.games ?? games.list().games }),
  };
}

/** Of a button or a modal of a draft: its argument is the draft's id. */
type DraftContext = Context & Pick<PressContext, 'argument'>;

/** @throws UserError when the draft is over, submitted, or another member's */
async function draftOf(context: DraftContext, { records }: DraftDeps): Promise<Draft> {
  const found = await records.findDraft(context, context.argument);
  if (typeof found === 'string') throw new UserError(noListText(found, context.t));
  return found.draft;
}

/** What was chosen in the select, or typed in, as the game of the rows that lack one. */
async function chooseGame(context: DraftContext, typed: string, deps: DraftDeps): Promise<Reply> {
  const { argument: id } = context;
  const draft = await draftOf(context, deps);
  const found = deps.games.find(typed);
  const matches = found ? [found] : deps.games.search(typed);
  const [game, ...others] = matches;
  if (!game) throw new UserError(unknownGameText(context, typed, deps.games));
  if (others.length > 0) {
    const notice = severalGamesText(context, typed);
    return showDraft(context, { id, draft, notice, games: matches }, deps);
  }
  const rows = withGame(draft.rows, gameReading(deps.games, game.alias));
  return showDraft(context, { id, draft: { ...draft, rows } }, deps);
}

async function togglePrevious(context: DraftContext, deps: DraftDeps): Promise<Reply> {
  const draft = await draftOf(context, deps);
  const changed = { ...draft, includesPrevious: !draft.includesPrevious };
  return showDraft(context, { id: context.argument, draft: changed }, deps);
}

async function cancel(context: DraftContext, deps: DraftDeps): Promise<Reply> {
  await draftOf(context, deps);
  const isDropped = await deps.records.dropDraft(context.guildId, context.argument);
  if (!isDropped) throw new UserError(noListText('gone', context.t));
  return { content: context.t('list.cancelled') };
}

/** The Submit button: sends what is ready in the draft, once, and reports what came of every line. */
async function submitList(context: PressContext, deps: AddServersDeps): Promise<Reply> {
  const { t, argument: id, guildId, interactionId, receivedAt, user, stopping } = context;
  const result = await deps.pipeline.submit({
    ...{ guildId, interactionId, receivedAt, user, id, stopping },
    onProgress: (done, count) => context.progress(progressOf(context, done, count)),
  });
  if (result.kind === 'no-draft') throw new UserError(noListText(result.why, t));
  if (result.kind === 'refused') {
    const notice = refusalText(result.refusal, context);
    // Somebody was faster: the preview names them now.
    if (result.refusal.code !== 'submitted-before') throw new UserError(notice);
    return showDraft(context, { id, draft: result.draft, notice }, deps);
  }
  const { restId, outcomes } = result;
  const unsent = { count: outcomes.filter((outcome) => isLeft(result.draft, outcome)).length };
  const announcement = announcementOf(context, result, deps.games);
  return {
    ...reportOf(context, result),
    ...(restId !== undefined && { components: rows([submitButton(restId, t('list.button.rest', unsent))]) }),
    ...(announcement !== undefined && { announcement }),
  };
}

const idOf = (action: string, id: string): string => customId('addservers', action, id);

const submitButton = (id: string, label: string): Control =>
  button(idOf('submit', id), label, { style: 'success' });

/**
 * The select or the button for the game where rows lack one, or both where the games are more than a select takes, and
 * the buttons to submit, include and cancel.
 */
function previewRows(
  { t }: Context,
  { id, draft, games }: Pick<Required<Shown>, 'id' | 'draft' | 'games'>,
): readonly Row[] {
  const ready = rowsToSend(draft).length;
  const isMissing = draft.rows.some(lacksGame);
  const previous = draft.previous.length;
  if (ready === 0 && previous === 0 && !isMissing) return [];
  const previousLabel = draft.includesPrevious ? 'list.button.leave' : 'list.button.include';
  const all = isMissing ? gameOptions(games) : [];
  const options = all.slice(0, LIMITS.choices);
  const isAll = options.length > 0 && options.length === all.length;
  return rows(
    [select({ id: idOf('game', id), placeholder: t('list.button.selectGame'), options })],
    [isMissing && !isAll && button(idOf('askgame', id), t('list.button.game'))],
    [
      ready > 0 && submitButton(id, t('list.button.submit', { count: ready })),
      previous > 0 && button(idOf('previous', id), t(previousLabel, { count: previous })),
      button(idOf('cancel', id), t('list.button.cancel')),
    ],
  );
}

/** The window in which a game is typed in, for lists of games that are too long for a select. */
const gameModal = ({ t }: Context, id: string) =>
  modal({
    id: idOf('game', id),
    title: t('list.chooseModal.title'),
    fields: [
      {
        ...{ id: 'game', label: t('list.chooseModal.game'), hint: t('list.chooseModal.hint') },
        ...{ least: 1, most: LIMITS.choiceValue },
      },
    ],
  });

const pasteModal = ({ t, options }: CommandContext) =>
  modal({
    id: idOf('paste', ''),
    title: t('list.modal.title'),
    fields: [
      {
        ...{ id: 'servers', label: t('list.modal.servers'), hint: t('list.modal.serversHint') },
        ...{ example: t('list.modal.example'), least: 1, most: MOST_PASTED, long: true },
      },
      {
        ...{ id: 'game', label: t('list.modal.game'), hint: t('list.modal.gameHint') },
        ...{ value: cut(options.getString('game') ?? '', LIMITS.choiceValue), most: LIMITS.choiceValue },
      },
    ],
  });
