import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { rendered } from './rendered.ts';

/** Characters of a line of a list that a phone shows without wrapping it. */
export const PHONE_WIDTH = 60;

/** Characters that are seen of a line: a word joiner only keeps its neighbours together. */
export const widthOf = (line: string): number => [...line.replaceAll('\u2060', '')].length;

/** What Discord's clients write in place of a time, at its longest. */
const TIMES: Readonly<Record<string, string>> = { R: 'in 12 months', '': 'September 22, 2026 12:00 AM' };

/** A line as it is read: without markup, with times written out. */
const shown = (line: string): string =>
  rendered(line.replace(/<t:\d+(?::(\w))?>/g, (_all, style = '') => TIMES[style] ?? TIMES[''] ?? '')).text;

/** The lines of a message that belong to a list: items, what continues them, and all of an embed. */
export function listLines(message: SeenMessage): readonly string[] {
  const { content = '', embeds = [] } = message.current ?? {};
  const inText = content.split('\n').filter((line) => /^(?:- | {2}|-# )/.test(line));
  return [...inText, ...embeds.flatMap(({ description = '' }) => description.split('\n'))].map(shown);
}

/** What a phone does not show well: lines of lists that are too wide, and tables. */
export function tooWide(message: SeenMessage): readonly string[] {
  const { content = '' } = message.current ?? {};
  const tables = /```|^\s*\|/m.test(content) ? [content] : [];
  return [...listLines(message).filter((line) => widthOf(line) > PHONE_WIDTH), ...tables];
}
