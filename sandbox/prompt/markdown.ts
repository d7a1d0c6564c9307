import { styleText } from 'node:util';
import { type Mark, marksOf } from '../markdown.ts';
import { timeText } from '../page/client/times.ts';

/** Puts text in a style where the output can show it; elsewhere the text stays as it is. */
export type Paint = (style: 'bold' | 'dim' | 'italic' | 'underline' | 'cyan' | 'red', text: string) => string;

/** No styles: for pipes and tests. */
export const plain: Paint = (_style, text) => text;

/** Styles for a terminal; none when the stream is not one, or `NO_COLOR` is set. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

export interface Reading {
  readonly paint?: Paint;
  /** Milliseconds since 1970, for "2 minutes ago". */
  readonly now: number;
  /** The locale of the reader's Discord, for times; `en-US` when not said. */
  readonly locale?: string;
  /** The name of a member, a channel or a role, by its id. */
  readonly nameOf?: (id: string) => string | undefined;
}

/** Discord's markdown as a reader sees it: marks become styles or go, mentions and times become words. */
export const readMarkdown = (text: string, reading: Reading): string =>
  drawAll(marksOf(text, reading.nameOf ?? (() => undefined)), reading);

const drawAll = (marks: readonly Mark[], reading: Reading): string =>
  marks.map((mark, index) => drawOne(mark, marks[index + 1], reading)).join('');

function drawOne(mark: Mark, next: Mark | undefined, reading: Reading): string {
  const { paint = plain, now, locale = 'en-US' } = reading;
  const inside = 'inside' in mark ? drawAll(mark.inside, reading) : '';
  // What is a block of its own ends its line by itself.
  const end = next === undefined || next.kind === 'break' ? '' : '\n';
  switch (mark.kind) {
    case 'text':
      return mark.text;
    case 'break':
      return '\n';
    case 'code':
    case 'mention':
      return paint('cyan', mark.text);
    case 'block':
      return mark.text + end;
    case 'strong':
      return paint('bold', inside);
    case 'em':
      return paint('italic', inside);
    case 'underline':
      return paint('underline', inside);
    case 'strike':
    case 'spoiler':
      return inside;
    case 'heading':
      return paint('bold', inside) + end;
    case 'small':
      return paint('dim', inside) + end;
    case 'quote':
      return inside.replace(/\n$/, '').replace(/^/gm, '│ ') + end;
    case 'link':
      return inside === mark.href ? inside : `${inside} (${mark.href})`;
    case 'time':
      return timeText(mark.seconds, { format: mark.format, locale, now });
  }
}
