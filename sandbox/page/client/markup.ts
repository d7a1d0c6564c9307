import { nothing, type TemplateResult } from 'lit';
import { html, literal } from 'lit/static-html.js';
import type { Mark } from '../../markdown.ts';
import { timeText } from './times.ts';

/** Renders formatted text as HTML. */
export function draw(
  marks: readonly Mark[],
  locale: string,
): readonly (TemplateResult | string | typeof nothing)[] {
  return marks.map((mark, index) => drawOne(mark, marks[index - 1]?.kind ?? '', locale));
}

function drawOne(mark: Mark, before: string, locale: string): TemplateResult | string | typeof nothing {
  switch (mark.kind) {
    case 'text':
      return mark.text;
    case 'break':
      // A block element already ends its line, so this line break is dropped.
      return ['quote', 'block', 'heading', 'small'].includes(before) ? nothing : html`<br />`;
    case 'code':
      return html`<code>${mark.text}</code>`;
    case 'block':
      return html`<pre tabindex="0"><code>${mark.text}</code></pre>`;
    case 'mention':
      return html`<span class="mention">${mark.text}</span>`;
    case 'link':
      return html`<a href=${mark.href} target="_blank" rel="noreferrer">${draw(mark.inside, locale)}</a>`;
    case 'time':
      return html`<time datetime=${iso(mark.seconds)}>${timeText(mark.seconds, { format: mark.format, locale, now: Date.now() })}</time>`;
    default:
      return html`<${TAGS[mark.kind]} class=${mark.kind}>${draw(mark.inside, locale)}</${TAGS[mark.kind]}>`;
  }
}

/** The HTML tag for each kind of element that contains others. */
const TAGS = {
  strong: literal`strong`,
  em: literal`em`,
  underline: literal`u`,
  strike: literal`s`,
  spoiler: literal`span`,
  quote: literal`blockquote`,
  small: literal`small`,
  heading: literal`b`,
} as const;

function iso(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Formats the time that Discord shows beside the author of a message. */
export const clockText = (ms: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' }).format(ms);
