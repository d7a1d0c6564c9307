import type { Context, EnteredValues, Reply } from '../../src/interactions/command.ts';
import type { UploadedFile } from '../../src/interactions/interaction.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { ParsedList } from '../../src/server-lists/list-parser.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import { withNumbers } from '../../src/submissions/line-numbers.ts';
import { escapeCode } from '../../src/words/escape.ts';
import { exampleLine } from '../../src/words/games.ts';
import { sentences } from '../../src/words/sentences.ts';
import { MAX_NAMED } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { choicesIn } from './choices.ts';
import { gameOfAll, isGameNeeded, keepTyped, withNear } from './enter.ts';
import { showDraft, unreadableText } from './show.ts';
import { fileName, readFile } from './text-file.ts';

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
    const { usable = '', whyUnusable, nearestAlias } = await gameOfAll(context, game, deps);
    const list = await deps.parser.read({ guildId, sources, game: usable });
    // Without pasted text, members can correct the file's content in the modal, as long as it fits.
    typed ||= list.lastText ?? '';
    const opened = { list, file: isTyped ? undefined : file, usable, whyUnusable, nearestAlias };
    return await openList(context, opened, deps);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const isFileLost = file !== undefined && typed === text;
    return keepTyped(context, { text: typed, game, why: error.message, isFileLost }, deps);
  }
}

interface OpenedList {
  readonly list: ParsedList;
  /** The uploaded file, if the list consists only of the file. */
  readonly file: UploadedFile | undefined;
  /** The alias of the game for lines without one; can be ''. */
  readonly usable: string;
  readonly whyUnusable: string | undefined;
  readonly nearestAlias: string | undefined;
}

/** @throws UserError if the list can't be read */
async function openList(
  context: Context,
  { list, file, usable, whyUnusable, nearestAlias }: OpenedList,
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
  const completed = withNear(await deps.completeRows(rows), nearestAlias);
  const draft: Draft = {
    id,
    source: 'text',
    rows: completed,
    leftOut: withNumbers(undefined, leftOut),
    hidden: list.hidden,
    panelChannelId,
  };
  const notices = [isGameNeeded(completed, choices) ? whyUnusable : undefined, unusedText(t, unused)].filter(
    (text) => text !== undefined,
  );
  const notice = notices.length > 0 ? notices.join('\n') : undefined;
  return showDraft(context, id, await deps.draftEditor.open(context, draft, choices), deps, { notice });
}

const MAX_COLUMN_NAME_LENGTH = 40;

/** Names unused columns that might be important. */
function unusedText(t: Translate, columns: readonly string[]): string | undefined {
  if (columns.length === 0) return undefined;
  const names = columns.slice(0, MAX_NAMED).map((name) => `\`${escapeCode(name, MAX_COLUMN_NAME_LENGTH)}\``);
  return t('list.unusedColumns', { columns: t.and(names) });
}
