import { parseAddress } from '../../src/addresses/address.ts';
import { parsePort } from '../../src/addresses/port.ts';
import type { Context, EnteredValues, Reply } from '../../src/interactions/command.ts';
import { rowsOfMessage } from '../../src/server-lists/message.ts';
import { withKnownHosts } from '../../src/server-lists/read-list.ts';
import { findOrFetchGame, isOneAddress, readOne } from '../../src/server-lists/read-one.ts';
import { gameOf, isReady, onLine, type Row, type TypedRow, typedOf } from '../../src/server-lists/row.ts';
import type { Choices } from '../../src/submissions/choices.ts';
import { type Draft, isSubmittedImmediately } from '../../src/submissions/draft.ts';
import { rowOfCandidate } from '../../src/submissions/draft-editor.ts';
import type { CommandDeps } from '../deps.ts';
import { choicesIn } from './choices.ts';
import { gameOfAll, isListGameUsed, withNear } from './enter.ts';
import { shownPort } from './ids.ts';
import { showDraft } from './show.ts';
import { submitDraft } from './submit-draft.ts';

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
  readonly choices?: Choices | undefined;
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
    if (typed.game !== '') await findOrFetchGame(typed.game, deps.games, context.guildId);
    return { read: { source: 'options', rows: await completeRows([readOne(typed, [], games)]) } };
  }
  const { usable, whyUnusable, nearestAlias } = await gameOfAll(context, typed.game, deps);
  const found = rowsOfMessage(typed.server, { ...deps.games, defaultGame: usable });
  const candidates = found.unchosen.map((each) => rowOfCandidate(each, usable ?? '', games));
  if (found.rows.length + candidates.length > 1) {
    const rows = withNear(await completeRows(found.rows), nearestAlias);
    const choices = choicesIn(found, usable);
    const notice = isListGameUsed(rows, choices) ? whyUnusable : undefined;
    return { read: { source: 'message', rows, hidden: found.hidden }, choices, notice };
  }
  const rows = [...found.rows, ...candidates];
  // The game beside the address is more specific than the command's option, which can't be left out.
  const [inText] = rows.flatMap((row) => gameOf(typedOf(row).game, games) ?? []);
  const game = inText === undefined || inText === usable ? typed.game : inText;
  const one = readOne({ ...typed, game }, rows, games);
  return { read: { source: 'options', rows: await completeRows([one]) } };
}

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

export async function draftBefore(
  context: Context,
  id: string,
  { submissions }: CommandDeps,
): Promise<Pick<Draft, 'rows' | 'panelChannelId'>> {
  if (id === context.interactionId) return { rows: [], panelChannelId: context.panelChannelId };
  const found = await submissions.editableDraft(context, id);
  return found.kind === 'no-draft' ? { rows: [] } : found;
}

/** Gives a row the line number of the row that it replaces, because earlier outcomes are looked up by line number. */
export function onLineOf([before]: readonly Row[], rows: readonly Row[]): readonly Row[] {
  return rows.length === 1 && before ? rows.map((row) => onLine(row, before.line)) : rows;
}
