import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { rendered } from './rendered.ts';

/** Characters of a line of a list that a phone shows without wrapping it. */
export const PHONE_WIDTH = 60;

/** Characters that are seen of a line: a word joiner only keeps its neighbours together. */
export const widthOf = (line: string): number => [...line.replaceAll('\u2060', '')].length;

/** What Discord's clients write in place of a time, at its longest in the languages of the bot. */
const TIMES: Readonly<Record<string, string>> = { R: 'vor 12 Monaten', '': 'September 22, 2026 12:00 AM' };

/** A line as it is read: without markup, with times written out. */
const shown = (line: string): string =>
  rendered(line.replace(/<t:\d+(?::(\w))?>/g, (_all, style = '') => TIMES[style] ?? TIMES[''] ?? '')).text;

/** An item of a list, or what continues one. */
const ITEM = /^(?:- | {2}|-# )/;
/** A state or an outcome, which is one of a list where another stands above or below it. */
const STATE = /^(?:✅|❌|⚠️|❓|🔹|\p{Extended_Pictographic} \*\*\d)/u;
/** Sentences may wrap. In an embed, all that is none belongs to a list. */
const SENTENCE = /[.!?:](?:\)|”|“)?$/;

/** The lines of a message that belong to a list: items, what continues them, states, and those of an embed. */
export function listLines(message: SeenMessage): readonly string[] {
  const { content = '', embeds = [] } = message.current ?? {};
  const lines = content.split('\n');
  const isState = (line = '') => STATE.test(line);
  const inText = lines.filter(
    (line, index) =>
      ITEM.test(line) || (isState(line) && (isState(lines[index - 1]) || isState(lines[index + 1]))),
  );
  const inEmbeds = embeds.flatMap(({ description = '' }) => description.split('\n'));
  return [...inText, ...inEmbeds.filter((line) => line !== '' && !SENTENCE.test(shown(line)))].map(shown);
}

/** What a phone does not show well: lines of lists that are too wide, and tables. */
export function tooWide(message: SeenMessage): readonly string[] {
  const { content = '' } = message.current ?? {};
  const tables = /```|^\s*\|/m.test(content) ? [content] : [];
  return [...listLines(message).filter((line) => widthOf(line) > PHONE_WIDTH), ...tables];
}
