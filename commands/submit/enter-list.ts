import type { Context, EnteredValues, Reply } from '../../src/interactions/command.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import { withNumbers } from '../../src/submissions/line-numbers.ts';
import { escapeCode } from '../../src/words/escape.ts';
import { exampleLine } from '../../src/words/games.ts';
import { sentences } from '../../src/words/sentences.ts';
import { MAX_NAMED } from '../../src/words/servers.ts';
import type { Translate } from '../../src/words/words.ts';
import type { CommandDeps } from '../deps.ts';
import { choicesIn } from './choices.ts';
import { gameOfAll, isListGameUsed, keepTyped, withNear } from './enter.ts';
import { showDraft, unreadableText } from './show.ts';
import { fileName, readFile } from './text-file.ts';

/** Shows a pasted or uploaded list. Keeps an unreadable list, so the member can correct it. */
export async function enterList(context: Context & EnteredValues, deps: CommandDeps): Promise<Reply> {
  const { t, guildId, interactionId: id, panelChannelId } = context;
  const text = context.field('servers');
  const file = context.file('file');
  const game = context.field('game').trim();
  const isTyped = text.trim() !== '';
  const onlyFile = isTyped ? undefined : file;
  let typed = text;
  try {
    const bytes = file && (await readFile(context, file, deps));
    const sources = [...(isTyped ? [text] : []), ...(bytes ? [bytes] : [])];
    if (sources.length === 0) throw new UserError(t('list.nothingEntered'));
    const { usable = '', whyUnusable, nearestAlias } = await gameOfAll(context, game, deps);
    const list = await deps.parser.read({ guildId, sources, defaultGame: usable });
    // Without pasted text, members can correct the file's content in the modal, as long as it fits.
    typed ||= list.lastText ?? '';
    if (onlyFile && list.kind === 'too-many')
      throw new UserError(t('list.file.too-many-in-file', { file: fileName(onlyFile), most: list.most }));
    if (onlyFile && list.lastText === '')
      throw new UserError(t('list.file.blank', { file: fileName(onlyFile) }));
    if (list.kind !== 'rows') throw new UserError(unreadableText(list, t));
    const { hidden } = list;
    const choices = choicesIn(list, usable);
    if (list.rows.length === 0 && choices === undefined) {
      const example = escapeCode(exampleLine(await deps.suggestions.allowed(guildId)));
      const hiddenText = hidden > 0 ? t('choices.hidden', { count: hidden }) : undefined;
      throw new UserError(sentences(t('list.file.empty', { example }), hiddenText));
    }
    const rows = withNear(await deps.completeRows(list.rows), nearestAlias);
    const leftOut = withNumbers(undefined, list.leftOut);
    const draft: Draft = { id, source: 'text', rows, leftOut, hidden, panelChannelId };
    const notices = [isListGameUsed(rows, choices) && whyUnusable, unusedText(t, list.unused)];
    const notice = notices.filter(Boolean).join('\n') || undefined;
    return await showDraft(context, id, await deps.draftEditor.open(context, draft, choices), deps, {
      notice,
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const isFileLost = file !== undefined && typed === text;
    return keepTyped(context, { text: typed, game, why: error.message, isFileLost }, deps);
  }
}

const MAX_COLUMN_NAME_LENGTH = 40;

function unusedText(t: Translate, columns: readonly string[]): string | undefined {
  if (columns.length === 0) return undefined;
  const names = columns.slice(0, MAX_NAMED).map((name) => `\`${escapeCode(name, MAX_COLUMN_NAME_LENGTH)}\``);
  return t('list.unusedColumns', { columns: t.and(names) });
}
