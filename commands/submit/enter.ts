import { parseAddress } from '../../src/addresses/address.ts';
import { parsePort } from '../../src/addresses/port.ts';
import type { Context, EnteredValues, Reply, SubmitContext } from '../../src/interactions/command.ts';
import { button, rows } from '../../src/interactions/controls.ts';
import type { UploadedFile } from '../../src/interactions/interaction.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { ParsedList } from '../../src/server-lists/list-parser.ts';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import { MAX_FILE_BYTES, withKnownHosts } from '../../src/server-lists/read-list.ts';
import { gameTyped, isOneAddress, readOne } from '../../src/server-lists/read-one.ts';
import { isReady, lacksGame, onLine, type Row, type TypedRow } from '../../src/server-lists/row.ts';
import type { Choices } from '../../src/submissions/choices.ts';
import { type Draft, type Editing, isSubmittedImmediately } from '../../src/submissions/draft.ts';
import { rowOfCandidate } from '../../src/submissions/draft-editor.ts';
import { withLeftOut } from '../../src/submissions/left-out.ts';
import { escapeCode } from '../../src/words/escape.ts';
import { exampleLine, unusableGameText } from '../../src/words/games.ts';
import { sentences } from '../../src/words/sentences.ts';
import { MOST_NAMED, withSign } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { noDraft } from '../submissions/waiting.ts';
import { choicesIn, hiddenIn } from './choices.ts';
import { readSubmitId, shownPort, submitId } from './ids.ts';
import { FILE_TYPES } from './modals.ts';
import { allowedGames, showDraft, unreadableText } from './show.ts';
import { submitDraft } from './submit-draft.ts';

/* Turns input that was typed, pasted or uploaded into a draft. */

/** Reads one server from options or a modal. A port in the address replaces the modal's initial port. */
export function fieldsOf({ field, argument }: EnteredValues & { readonly argument?: string }): TypedRow {
  const inAddress = field('server');
  const inPort = field('port').trim();
  // A whole number alone in the address field is a port.
  const isPort = inPort === '' && /^\d+$/u.test(inAddress.trim()) && parsePort(inAddress.trim()).ok;
  const [server, port] = isPort ? ['', inAddress.trim()] : [inAddress, inPort];
  const parsed = parseAddress(server);
  const isReplaced = parsed.ok && parsed.address.port !== undefined && port === shownPort(argument);
  return {
    game: field('game').trim(),
    server,
    port: isReplaced ? '' : port,
    queryPort: field('query_port').trim(),
  };
}

interface ReadFields {
  readonly read: Pick<Draft, 'source' | 'rows' | 'hidden'>;
  /** What the member can choose among several addresses. */
  readonly choices?: Choices | undefined;
  /** Explains why the game typed for a list can't be used. */
  readonly notice?: string | undefined;
}

/**
 * Reads the values for one server. Several addresses become a list. The typed game applies to addresses without a game next
 * to them.
 * @param before the rows that the member edited, if any
 */
export async function readFields(
  context: Context,
  typed: TypedRow,
  before: readonly Row[],
  deps: CommandDeps,
): Promise<ReadFields> {
  const { games } = deps;
  const completeRows = (rows: readonly Row[]) => deps.completeRows(withKnownHosts(rows, before, games));
  if (isOneAddress(typed.server)) {
    if (typed.game !== '') await gameTyped(typed.game, deps.games, context.guildId);
    return { read: { source: 'options', rows: await completeRows([readOne(typed, [], games)]) } };
  }
  const { usable, unusable, near } = await gameOfAll(context, typed.game, deps);
  const found = rowsOfMessage(typed.server, { ...deps.games, defaultGame: usable });
  const candidates = found.unchosen.map((each) => rowOfCandidate(each, usable ?? '', games));
  if (found.rows.length + candidates.length > 1) {
    const rows = withNear(await completeRows(found.rows), near);
    const choices = choicesIn(found, usable);
    const notice = isGameNeeded(rows, choices) ? unusable : undefined;
    return { read: { source: 'message', rows, ...hiddenIn(found) }, choices, notice };
  }
  const one = readOne(typed, [...found.rows, ...candidates], games);
  return { read: { source: 'options', rows: await completeRows([one]) } };
}

/** Whether a game that applies to the whole list would be used. */
const isGameNeeded = (rows: readonly Row[], choices: Choices | undefined): boolean =>
  rows.some(lacksGame) || choices?.candidates.some(({ typed }) => typed.game === '') === true;

/**
 * Submits the values for one server, or shows their problems.
 * @param id the id of the new draft, or of the draft to replace
 */
export async function enterFields(
  context: Context,
  id: string,
  typed: TypedRow,
  deps: CommandDeps,
): Promise<Reply> {
  const { rows: before, panelChannelId } = await draftBefore(context, id, deps);
  const { read, choices, notice } = await readFields(context, typed, before, deps);
  const draft = { ...read, rows: onLineOf(before, read.rows), id, panelChannelId };
  if (isSubmittedImmediately(read) && read.rows.every(isReady)) {
    return submitDraft(context, { id, draft }, deps);
  }
  return showDraft(context, id, await deps.draftEditor.open(context, draft, choices), deps, { notice });
}

/** Returns the rows that an edit replaces, and the channel of the panel where the draft was started. */
export async function draftBefore(
  context: Context,
  id: string,
  { submissions }: CommandDeps,
): Promise<Pick<Draft, 'rows' | 'panelChannelId'>> {
  if (id === context.interactionId) return { rows: [], panelChannelId: context.panelChannelId };
  const found = await submissions.editableDraft(context, id);
  return typeof found === 'string' ? { rows: [] } : found;
}

/** Gives a row the line number of the row that it replaces, because earlier outcomes are looked up by line number. */
export function onLineOf([before]: readonly Row[], rows: readonly Row[]): readonly Row[] {
  return rows.length === 1 && before ? rows.map((row) => onLine(row, before.line)) : rows;
}

/** Finds the game typed for lines without a game. If it can't be used, returns a notice and the most similar game. */
async function gameOfAll(context: Context, typed: string, deps: CommandDeps) {
  if (typed === '') return {};
  const found = await gameTyped(typed, deps.games, context.guildId);
  const allowed = await allowedGames(context, deps);
  if (found && allowed.isAllowed(found)) return { usable: found.alias };
  const [near] = found ? [] : allowed.search(typed, 1);
  return { unusable: unusableGameText(context, typed, allowed), near: near?.alias };
}

/** Adds a suggested game to rows without a game. */
const withNear = (rows: readonly Row[], near: string | undefined): readonly Row[] =>
  rows.map((row) => (near !== undefined && lacksGame(row) ? { ...row, near: row.near ?? near } : row));

/** Shows a pasted or uploaded list. Keeps an unreadable list, so the member can correct it. */
export async function enterList(context: Context & EnteredValues, deps: CommandDeps): Promise<Reply> {
  const { t, guildId } = context;
  const text = context.field('servers');
  const file = context.file('file');
  const game = context.field('game').trim();
  const isTyped = text.trim() !== '';
  let typed = text;
  try {
    const bytes = file && (await readFile(context, file, deps));
    const sources = [...(isTyped ? [text] : []), ...(bytes ? [bytes] : [])];
    if (sources.length === 0) throw new UserError(t('list.nothingEntered'));
    const { usable = '', unusable, near } = await gameOfAll(context, game, deps);
    const list = await deps.parser.read({ guildId, sources, game: usable });
    // If nothing was pasted, members can correct the file's content in the modal, as long as it fits.
    typed ||= list.lastText ?? '';
    const opened = { list, file: isTyped ? undefined : file, usable, unusable, near };
    return await openList(context, opened, deps);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const isFileLost = file !== undefined && typed === text;
    return keepTyped(context, { text: typed, game, why: error.message, isFileLost }, deps);
  }
}

/** Whether the file name has one of the text file extensions that the bot accepts. */
export const isTextFile = ({ name }: UploadedFile): boolean =>
  FILE_TYPES.some((extension) => name.toLowerCase().endsWith(extension));

/**
 * Downloads a file. The list parser decodes the file, because decoding a hostile file takes long.
 * @throws UserError if the file's name isn't that of a text file, or if the file can't be downloaded at the moment
 */
export async function readFile(
  { t }: Context,
  file: UploadedFile,
  { attachments }: CommandDeps,
): Promise<Uint8Array> {
  if (!isTextFile(file)) throw new UserError(t('list.file.kind'));
  const read = await attachments.read(file.url, file.size);
  if (!read.ok) {
    const what = read.problem === 'too-large' ? 'too-large' : 'unavailable';
    throw new UserError(t(`list.file.${what}`, { kib: MAX_FILE_BYTES / 1024 }));
  }
  return read.bytes;
}

/** Maximum length of a file name in a message, in UTF-16 units. */
const LONGEST_FILE_NAME = 60;

const fileName = ({ name }: UploadedFile): string => escapeCode(name, LONGEST_FILE_NAME);

interface OpenedList {
  readonly list: ParsedList;
  /** The uploaded file, if the list consists only of the file. */
  readonly file: UploadedFile | undefined;
  /** The alias of the game for lines without one; can be ''. */
  readonly usable: string;
  /** Explains why the typed game can't be used. */
  readonly unusable: string | undefined;
  /** The alias of the game that is most similar to the typed game. */
  readonly near: string | undefined;
}

/** @throws UserError if the list can't be read */
async function openList(
  context: Context,
  { list, file, usable, unusable, near }: OpenedList,
  deps: CommandDeps,
): Promise<Reply> {
  const { t, guildId, interactionId: id, panelChannelId } = context;
  if (list.kind === 'too-many' && file) {
    throw new UserError(t('list.file.too-many-in-file', { file: fileName(file), most: list.most }));
  }
  if (file && list.lastText === '') throw new UserError(t('list.file.blank', { file: fileName(file) }));
  if (list.kind !== 'rows') throw new UserError(unreadableText(list, t));
  const { rows, leftOut, unused } = list;
  const choices = choicesIn(list, usable);
  if (rows.length === 0 && choices === undefined) {
    const allowed = await deps.suggestions.allowed(guildId);
    throw new UserError(
      sentences(
        t('list.file.empty', { example: escapeCode(exampleLine(allowed)) }),
        list.hidden > 0 ? t('choices.hidden', { count: list.hidden }) : undefined,
      ),
    );
  }
  const completed = withNear(await deps.completeRows(rows), near);
  const draft: Draft = {
    id,
    source: 'text',
    rows: completed,
    leftOut: withLeftOut(undefined, leftOut),
    ...hiddenIn(list),
    panelChannelId,
  };
  const notices = [isGameNeeded(completed, choices) ? unusable : undefined, unusedText(t, unused)].filter(
    (text) => text !== undefined,
  );
  const notice = notices.length > 0 ? notices.join('\n') : undefined;
  return showDraft(context, id, await deps.draftEditor.open(context, draft, choices), deps, { notice });
}

/** Maximum length of a column name in a message, in UTF-16 units. */
const LONGEST_COLUMN_NAME = 40;

/** Names unused columns that might be important. */
function unusedText(t: Translate, columns: readonly string[]): string | undefined {
  if (columns.length === 0) return undefined;
  const names = columns.slice(0, MOST_NAMED).map((name) => `\`${escapeCode(name, LONGEST_COLUMN_NAME)}\``);
  return t('list.unusedColumns', { columns: t.and(names) });
}

/** Explains why a list can't be read, and offers a button that reopens the modal with the typed text. */
async function keepTyped(
  context: Context,
  { text, game, why, isFileLost }: Record<'text' | 'game' | 'why', string> & { readonly isFileLost: boolean },
  { draftEditor }: CommandDeps,
): Promise<Reply> {
  const { t, interactionId: id, panelChannelId } = context;
  await draftEditor.keepTyped(context, id, { text, game, modal: 'paste' }, panelChannelId);
  return {
    isUserError: true,
    content: withSign('not-sent', sentences(why, isFileLost ? t('list.reopen') : undefined)),
    components: rows([button(submitId('edit', id), t('again.edit'))]),
  };
}

/** Replaces the lines that the member opened for editing with the corrected lines. */
export async function enterLines(context: SubmitContext, which: Editing, deps: CommandDeps): Promise<Reply> {
  const { t, interactionId: newId } = context;
  const { id, more } = readSubmitId(context.argument);
  const [submissionId = ''] = more.split(':');
  const typed = context.field('servers');
  const { draftEditor, drafts } = deps;
  const edited = await draftEditor.edit(context, { id, newId, typed, which, submissionId });
  if (typeof edited !== 'string' && 'kind' in edited) {
    const why = unreadableText(edited, t);
    const draft = await drafts.find(context, id);
    if (typeof draft === 'string')
      return keepTyped(context, { text: typed, game: '', why, isFileLost: false }, deps);
    // When reopened, the modal will show this text.
    await draftEditor.keepTyped(context, id, { text: typed, game: '', modal: which });
    throw new UserError(sentences(why, t('addserver.correct')));
  }
  // If the draft can no longer be edited, explains why and where the typed lines are now.
  const notice =
    typeof edited !== 'string' && 'whySeparate' in edited
      ? sentences(noDraft(edited.whySeparate, t).message, t('list.typedKept'))
      : undefined;
  return showDraft(context, id, edited, deps, { notice });
}
