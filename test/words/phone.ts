import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { rendered } from './rendered.ts';

/** Characters that a phone shows without wrapping them. */
const PHONE_WIDTH = 60;
/** What is one of many in the text of a message may be wrapped once, and what is in an embed not at all. */
const WIDEST = { inText: 2 * PHONE_WIDTH, inEmbed: PHONE_WIDTH };

/** As wide as two letters: characters of Chinese, Japanese and Korean, with their punctuation. */
const WIDE = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]/gu;

/** Letters that would be as wide as the line: a word joiner only keeps its neighbours together. */
const widthOf = (line: string): number =>
  [...line.replaceAll('\u2060', '')].length + (line.match(WIDE)?.length ?? 0);

/** What Discord's clients write in place of a time, at its longest in the languages of the bot. */
const TIMES: Readonly<Record<string, string>> = { R: 'vor 12 Monaten', '': 'September 22, 2026 12:00 AM' };

/** A line as it is read: without markup, with times written out. */
const shown = (line: string): string =>
  rendered(line.replace(/<t:\d+(?::(\w))?>/g, (_all, style = '') => TIMES[style] ?? TIMES[''] ?? '')).text;

/** An item of a list, or what continues one. */
const ITEM = /^(?:- | {2}|-# )/;
/** A state or an outcome, which is one of a list where another stands above or below it. */
const STATE = /^(?:✅|❌|⚠️|❓|🔹|\p{Extended_Pictographic} \*\*\d)/u;
/** Sentences may wrap, and so may a way through menus. In an embed, all that is neither belongs to a list. */
const SENTENCE = /[.!?:](?:”|“)?\)?$|[。！？：」）]$| → /;

/** What a phone does not show well: lines of lists that are too wide, and tables. */
export function tooWide(message: SeenMessage): readonly string[] {
  const { content = '', embeds = [] } = message.current ?? {};
  const lines = content.split('\n');
  const isState = (line = '') => STATE.test(line);
  const inText = lines
    .filter(
      (line, index) =>
        ITEM.test(line) || (isState(line) && (isState(lines[index - 1]) || isState(lines[index + 1]))),
    )
    .map(shown);
  const inEmbeds = embeds
    .flatMap(({ description = '' }) => description.split('\n'))
    .map(shown)
    .filter((line) => !SENTENCE.test(line));
  const tables = /```|^\s*\|/m.test(content) ? [content] : [];
  return [
    ...inText.filter((line) => widthOf(line) > WIDEST.inText),
    ...inEmbeds.filter((line) => widthOf(line) > WIDEST.inEmbed),
    ...tables,
  ];
}
