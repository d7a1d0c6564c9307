import { ApplicationCommandOptionType } from 'discord.js';
import type { Attachments } from '../src/discord/attachments.ts';
import { LIMITS } from '../src/discord/limits.ts';
import type {
  Command,
  Context,
  EnteredValues,
  PressContext,
  Reply,
  SubmitContext,
} from '../src/interactions/command.ts';
import type { Modal } from '../src/interactions/controls.ts';
import type { UploadedFile } from '../src/interactions/interaction.ts';
import type { GameIndex } from '../src/listing/game-search.ts';
import type { Games } from '../src/listing/games.ts';
import type { ListReader, ListToRead } from '../src/server-lists/list-reader.ts';
import { decodeText, MAX_FILE_BYTES } from '../src/server-lists/read-list.ts';
import { isRefused, isRepeated, type Row, rowText } from '../src/server-lists/row.ts';
import type { Draft, Editing } from '../src/submissions/draft.ts';
import {
  type Changed,
  type KeptApart,
  linesToEdit,
  MOST_TYPED,
  type Prepared,
} from '../src/submissions/list-drafts.ts';
import type { Order, Pipeline } from '../src/submissions/pipeline.ts';
import type { Suggestions } from '../src/submissions/suggestions.ts';
import { UserError } from '../src/user-error.ts';
import { optionText } from '../src/words/command-text.ts';
import { escapeCode } from '../src/words/escape.ts';
import { exampleLine, gameChoices, severalGamesText, unusableGameText } from '../src/words/games.ts';
import { refusalText } from '../src/words/refusal.ts';
import { sentences } from '../src/words/sentences.ts';
import { firstItems, readServerLines } from '../src/words/servers.ts';
import type { Translate } from '../src/words/words.ts';
import { slashCommand } from './slash-command.ts';
import { becameOf, type WaitingDeps } from './submissions/waiting.ts';
import { demandDraft, noDraft } from './submit/no-draft.ts';
import { reasonItem } from './submit/refused-lines.ts';
import { progressOf, reportReply } from './submit/report.ts';
import {
  allowedGames,
  type DraftDeps,
  gameOfList,
  gamesMeant,
  openDraft,
  type Shown,
  showDraft,
  unreadableText,
  withNear,
} from './submit/show.ts';
import {
  editModal,
  FILE_TYPES,
  gameModal,
  listId,
  listModal,
  readSubmitId,
  retypeRows,
} from './submit/windows.ts';

export interface AddServersDeps extends DraftDeps, WaitingDeps {
  readonly games: Games;
  readonly reader: ListReader;
  readonly pipeline: Pipeline;
  readonly attachments: Pick<Attachments, 'read'>;
  readonly suggestions: Suggestions;
}

const DATA = slashCommand('addservers', [
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
]);

/**
 * /addservers: takes a list from a file or a modal to paste into, shows what it would submit, and submits it on a
 * button. The buttons of the message command belong here too.
 */
export function addServers(deps: AddServersDeps): Command {
  /** Members whose list is being read. */
  const readers = new Set<string>();

  /** Reads one list of a member at a time, here or in another guild. */
  async function take(context: Context & EnteredValues): Promise<Reply> {
    const { t, user, field, file } = context;
    const entered = { text: field('servers'), file: file('file'), game: field('game').trim() };
    if (readers.has(user.id)) return keepTyped(context, { ...entered, why: t('again.busy') }, deps);
    readers.add(user.id);
    return takeList(context, entered, deps).finally(() => readers.delete(user.id));
  }

  return {
    data: DATA,
    answers: ({ file }) => (file('file') ? 'later' : 'modal'),
    complete: async ({ guildId }, typed) => gameChoices(await deps.suggestions.games(guildId, typed)),
    async run(context) {
      const { field, file } = context;
      if (file('file')) return take(context);
      return listModal(context, { game: field('game').trim() }, deps);
    },
    submits: {
      paste: { answers: 'later', run: take },
      retyped: { answers: 'update', run: take },
      game: { answers: 'update', run: (context) => chooseGame(context, context.field('game'), deps) },
      edit: { answers: 'update', run: (context) => edit(context, 'refused', deps) },
      // The report stays where it is.
      correct: { answers: 'later', run: (context) => edit(context, 'all', deps) },
      changed: { answers: 'update', run: (context) => editWaiting(context, deps) },
    },
    presses: {
      submit: {
        answers: 'sending',
        run: (context) => submitList(context, readSubmitId(context.argument), deps),
      },
      anyway: {
        answers: 'sending',
        run: (context) => submitList(context, { id: context.argument, includesAlreadySubmitted: true }, deps),
      },
      edit: { answers: 'modal', run: (context) => openEdit(context, 'refused', deps) },
      retype: { answers: 'modal', run: (context) => retype(context, deps) },
      anew: { answers: 'modal', run: (context) => openAnew(context, deps) },
      new: { answers: 'modal', run: (context) => listModal(context, {}, deps) },
      editall: { answers: 'modal', run: (context) => openEdit(context, 'all', deps) },
      ports: {
        answers: 'update',
        run: async (context) =>
          showChanged(
            context,
            context.argument,
            await deps.lists.takeUsualPorts(context, context.argument),
            deps,
          ),
      },
      include: { answers: 'update', run: (context) => includeAlreadySubmitted(context, deps) },
      // The list waits for a moderator. It goes on waiting until the modal is submitted.
      change: { answers: 'modal', run: (context) => openWaiting(context, deps) },
      cancel: { answers: 'update', run: (context) => cancel(context, deps) },
      game: { answers: 'update', run: (context) => chooseGame(context, context.values[0] ?? '', deps) },
      take: { answers: 'update', run: (context) => takeMeantGames(context, deps) },
      askgame: {
        answers: 'modal',
        async run(context) {
          const games = await deps.suggestions.allowed(context.guildId);
          return gameModal(context, context.argument, games);
        },
      },
    },
  };
}

/** What was entered in the modal, or given with the command. */
interface EnteredList {
  readonly text: string;
  readonly file?: UploadedFile | undefined;
  readonly game: string;
}

/** The modal with the servers that an old message shows. */
function openAnew(context: PressContext, deps: AddServersDeps): Promise<Modal> {
  return listModal(context, { text: readServerLines(context.shown).map(rowText).join('\n') }, deps);
}

/** The modal with what was entered before. */
async function retype(context: DraftContext, deps: AddServersDeps): Promise<Modal> {
  const { typed } = demandDraft(await deps.lists.find(context, context.argument), context.t, 'addservers');
  return listModal(context, { action: 'retyped', ...typed }, deps);
}

/** Says why a list is not read, with a button that opens the modal with what was typed. */
async function keepTyped(
  context: Context,
  { text, game, why }: Record<'text' | 'game' | 'why', string>,
  { lists }: DraftDeps,
): Promise<Reply> {
  const { t, interactionId: id } = context;
  await lists.keepTyped(context, id, { text, game, window: 'paste' });
  const next = t(text === '' ? 'list.reopen' : 'addserver.correct');
  return { isRefusal: true, content: sentences(why, next), components: retypeRows(context, id) };
}

/** Shows what would be submitted of a list. A list that cannot be read is refused, and kept to be corrected. */
async function takeList(
  context: Context,
  { text, file, game }: EnteredList,
  deps: AddServersDeps,
): Promise<Reply> {
  let typed = text;
  try {
    const uploaded = file ? await readFile(context, file, deps) : '';
    // A file alone is corrected in the modal, too, if it fits.
    if (uploaded.length <= MOST_TYPED) typed ||= uploaded;
    const texts = [text, uploaded].filter((each) => each.trim() !== '');
    return await openList(context, { texts, game }, deps);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return keepTyped(context, { text: typed, game, why: error.message }, deps);
  }
}

/** @throws UserError when it is no text, or cannot be read now */
async function readFile(
  { t }: Context,
  { name, url, size }: UploadedFile,
  deps: AddServersDeps,
): Promise<string> {
  const isKnown = FILE_TYPES.some((extension) => name.toLowerCase().endsWith(extension));
  if (!isKnown) throw new UserError(t('list.file.kind'));
  const read = await deps.attachments.read(url, size);
  if (!read.ok) {
    const what = read.problem === 'too-large' ? 'too-large' : 'unavailable';
    throw new UserError(t(`list.file.${what}`, { kib: MAX_FILE_BYTES / 1024 }));
  }
  const text = decodeText(read.bytes);
  if (text === undefined) throw new UserError(t('list.file.binary'));
  return text;
}

/**
 * Reads a list, and shows what would be submitted.
 * @param texts what was typed, then what was uploaded
 * @throws UserError when it cannot be read
 */
async function openList(
  context: Context,
  { texts, game }: Pick<ListToRead, 'texts' | 'game'>,
  deps: AddServersDeps,
): Promise<Reply> {
  const { t, guildId } = context;
  if (texts.length === 0) throw new UserError(t('list.nothingEntered'));
  const first = await deps.reader.read({ guildId, texts, game });
  const games = await allowedGames(context, deps);
  const { usable, notice, near } = game === '' ? {} : gameOfList(context, game, games);
  // Lines whose game would not be allowed lack a game, so that another game can be chosen for them.
  const isForbidden = usable === undefined && games.find(game) !== undefined;
  const list = isForbidden ? await deps.reader.read({ guildId, texts, game: '' }) : first;
  if (list.kind !== 'rows') throw new UserError(unreadableText(list, t));
  if (list.rows.length === 0) {
    const allowed = await deps.suggestions.allowed(guildId);
    throw new UserError(t('list.file.empty', { example: escapeCode(exampleLine(allowed)) }));
  }
  const rows = withNear(list.rows, near);
  return openDraft(context, { source: 'text', rows, noise: list.noise, notice }, deps);
}

/** The context of a button or a modal of a draft: its argument is the draft's id. */
type DraftContext = Context & Pick<PressContext, 'argument'>;

/** A document after a change, or what became of it meanwhile. */
async function showChanged(
  context: DraftContext,
  id: string,
  changed: Changed,
  deps: AddServersDeps,
  shown: Shown = {},
): Promise<Reply> {
  if (typeof changed !== 'string') return showDraft(context, changed, deps, shown);
  return becameOf(context, { id, why: changed }, deps, 'addservers');
}

/** Sets the game that was chosen or typed for the rows that lack one. */
async function chooseGame(context: DraftContext, typed: string, deps: AddServersDeps): Promise<Reply> {
  const games = await allowedGames(context, deps);
  const found = games.find(typed);
  const matches = found ? [found].filter(games.isAllowed) : games.search(typed);
  const [game, ...others] = matches;
  if (game && others.length === 0) {
    const chosen = await deps.lists.chooseGame(context, context.argument, () => game.alias);
    return showChanged(context, context.argument, chosen, deps);
  }
  const notice = game ? severalGamesText(context, typed) : unusableGameText(context, typed, games);
  const choice = game ? matches : games.all;
  const again = await deps.lists.again(context, context.argument);
  return showChanged(context, context.argument, again, deps, { notice, choice });
}

/** Sets the game of each line that names none for certain to the game that it may mean. */
async function takeMeantGames(context: DraftContext, deps: AddServersDeps): Promise<Reply> {
  const gameMeant = gamesMeant(await allowedGames(context, deps));
  const chosen = await deps.lists.chooseGame(context, context.argument, (row) => gameMeant(row)?.alias);
  return showChanged(context, context.argument, chosen, deps);
}

/** Includes what the guild has already submitted, or leaves it out again. */
async function includeAlreadySubmitted(context: DraftContext, deps: AddServersDeps): Promise<Reply> {
  const [wanted, id = ''] = context.argument.split(':');
  const changed = await deps.lists.includeAlreadySubmitted(context, id, wanted === 'on');
  return showChanged(context, id, changed, deps);
}

/** The modal in which lines are corrected. */
async function openEdit(context: DraftContext, which: Editing, deps: DraftDeps): Promise<Modal> {
  const id = context.argument;
  const draft = demandDraft(await deps.lists.find(context, id), context.t, 'addservers');
  const runId = await deps.lists.latestRun(id);
  const modalId = listId(which === 'all' ? 'correct' : 'edit', `${id}:${runId}`);
  const { typed } = draft;
  if (typed?.window !== which) return linesModal(context, modalId, draft, which, deps);
  return editModal(context, { id: modalId, text: typed.text, reasons: '' });
}

/** The modal with the lines of a list that waits for a moderator. */
async function openWaiting(context: DraftContext, deps: AddServersDeps): Promise<Modal | Reply> {
  const id = context.argument;
  const draft = await deps.approvals.draft(context, id);
  if (typeof draft === 'string') return becameOf(context, { id, why: draft }, deps, 'addservers');
  const runId = await deps.lists.latestRun(id);
  return linesModal(context, listId('changed', `${id}:${runId}`), draft, 'all', deps);
}

async function linesModal(
  context: Context,
  id: string,
  draft: Draft,
  which: Editing,
  deps: DraftDeps,
): Promise<Modal> {
  const { t } = context;
  const { text, rows } = linesToEdit(draft, which);
  const isPart = which === 'all' && rows.length < draft.rows.filter((row) => !isRepeated(row)).length;
  const reasons = [
    isPart && t('list.editFits', { count: rows.length }),
    reasonsText(t, rows, await allowedGames(context, deps)),
  ];
  return editModal(context, { id, text, reasons: reasons.filter(Boolean).join('\n') });
}

/** How many lines have their reason in the modal; `rejected.csv` has the reasons of all lines. */
const MOST_REASONS = 20;

const reasonsText = (t: Translate, rows: readonly Row[], games: GameIndex): string =>
  firstItems(t, rows.filter(isRefused), MOST_REASONS, (row) => reasonItem(t, row, games)).join('\n');

/** Replaces the lines that were opened by the corrected ones. */
async function edit(context: SubmitContext, which: Editing, deps: DraftDeps): Promise<Reply> {
  const { t, interactionId: newId } = context;
  const [id = '', runId = ''] = context.argument.split(':');
  const typed = context.field('servers');
  const { lists } = deps;
  const edited = await lists.edit(context, { id, newId, typed, which, runId });
  if ('kind' in edited) {
    const why = unreadableText(edited, t);
    const draft = await lists.find(context, id);
    if (typeof draft === 'string') return keepTyped(context, { text: typed, game: '', why }, deps);
    // The button that opened the modal opens this text from now on.
    await lists.keepTyped(context, id, { text: typed, game: '', window: which });
    throw new UserError(sentences(why, t('addserver.correct')));
  }
  return showDraft(context, edited, deps, { notice: keptApartText(edited, t) });
}

/** If the draft was gone: why, and where the typed lines are. */
const keptApartText = (edited: Prepared | KeptApart, t: Translate): string | undefined =>
  'instead' in edited
    ? sentences(noDraft(edited.instead, t, 'addservers').message, t('list.typedKept'))
    : undefined;

/** Makes what waits for a moderator a draft again, with the lines as they were edited. */
async function editWaiting(context: SubmitContext, deps: AddServersDeps): Promise<Reply> {
  const { t, guildId, interactionId: newId } = context;
  const [id = '', runId = ''] = context.argument.split(':');
  const typed = context.field('servers');
  const edited = await deps.lists.edit(context, { id, newId, typed, which: 'all', runId, isWaiting: true });
  if ('kind' in edited) throw new UserError(sentences(unreadableText(edited, t), t('approval.still')));
  await deps.approvalMessages.show({ guildId, id });
  const notice = keptApartText(edited, t) ?? t('approval.editedWaitsNoMore');
  return showDraft(context, edited, deps, { notice });
}

async function cancel(context: DraftContext, { lists }: DraftDeps): Promise<Reply> {
  demandDraft(await lists.drop(context, context.argument), context.t, 'addservers');
  return { content: context.t('button.cancelled') };
}

/** Submits what is ready in a draft, once, and reports what came of every line. */
async function submitList(
  context: PressContext,
  what: Pick<Order, 'id' | 'promised' | 'includesAlreadySubmitted'>,
  deps: AddServersDeps,
): Promise<Reply> {
  const { t, guildId, interactionId, receivedAt, user, isAdmin, stopping } = context;
  const result = await deps.pipeline.submit({
    guildId,
    interactionId,
    receivedAt,
    user,
    isAdmin,
    ...what,
    stopping,
    onProgress: (done, count) => context.progress(progressOf(context, done, count)),
  });
  const { id } = what;
  if (result.kind === 'no-draft') return becameOf(context, { id, why: result.why }, deps, 'addservers');
  if (result.kind === 'waiting') return becameOf(context, { id, why: 'submitted' }, deps, 'addservers');
  if (result.kind === 'changed') return showChanged(context, id, await deps.lists.again(context, id), deps);
  if (result.kind === 'refused') {
    const { refusal } = result;
    // Since the preview was made somebody was faster, or an admin has changed what is allowed.
    if (refusal.code === 'in-flight') throw new UserError(refusalText(refusal, context, deps.games));
    const notice = refusal.code.startsWith('key-')
      ? t('key.still')
      : refusalText(refusal, context, deps.games);
    return showChanged(context, id, await deps.lists.again(context, id), deps, { notice });
  }
  return reportReply(context, result, deps);
}
