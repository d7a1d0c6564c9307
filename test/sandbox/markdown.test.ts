import { describe, expect, it } from 'vitest';
import { drawText, marksOf } from '../../sandbox/markdown.ts';
import { timeText } from '../../sandbox/page/client/times.ts';

const ID = '123456789012345678';
const nameOf = (id: string) => (id === ID ? 'admin' : undefined);
const NOW = Date.UTC(2026, 0, 2, 12);
const read = (text: string) => drawText(marksOf(text, nameOf), NOW);

describe("the sandbox's Markdown renderer", () => {
  it.each([
    ['**bold** *slanted* __under__ ~~gone~~ ||hidden||', 'bold slanted under gone hidden'],
    [`</setkey:${ID}> by <@${ID}> in <#${ID}>`, '/setkey by @admin in #admin'],
    ['\\*not bold\\* C:\\temp 2 * 3 * 4', '*not bold* C:\\temp 2 * 3 * 4'],
    ['[the list](https://example.com/a)', 'the list (https://example.com/a)'],
    ['# Title\n-# small\n- one\n> said', 'Title\nsmall\n• one\n│ said'],
    ['```json\n{"a": "**"}\n```', '{"a": "**"}'],
    ['**open `and unfinished', '**open `and unfinished'],
    [`<t:${NOW / 1000 - 120}:R>`, '2 minutes ago'],
  ])('converts %s to plain text', (text, shown) => {
    expect(read(text)).toBe(shown);
  });

  it("formats times in the reader's language", () => {
    const german = { locale: 'de', now: NOW };
    expect(timeText(NOW / 1000 - 120, { ...german, format: 'R' })).toBe('vor 2 Minuten');
    expect(timeText(NOW / 1000, { ...german, format: 'D' })).toBe('2. Januar 2026');
  });

  it('recognises subtext after a quote', () => {
    const kinds = marksOf('> words\n-# Lines 2–20\nmore', nameOf).map(({ kind }) => kind);
    expect(kinds).toEqual(['quote', 'small', 'break', 'text']);
  });

  it("doesn't create javascript: links", () => {
    const marks = marksOf('[a](javascript:alert)', nameOf);
    expect(JSON.stringify(marks)).not.toContain('"href":"javascript');
  });
});
