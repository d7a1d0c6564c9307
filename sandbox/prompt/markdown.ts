import { type Mark, marksOf } from '../markdown.ts';
import { timeText } from '../page/client/times.ts';

export interface Reading {
  /** Milliseconds since 1970, for "2 minutes ago". */
  readonly now: number;
  /** The locale of the reader's Discord, for times; `en-US` when not said. */
  readonly locale?: string;
  /** The name of a member, a channel or a role, by its id. */
  readonly nameOf?: (id: string) => string | undefined;
}

/** Discord's markdown as plain text: marks go, mentions and times become words. */
export const readMarkdown = (text: string, reading: Reading): string =>
  drawAll(marksOf(text, reading.nameOf ?? (() => undefined)), reading);

const drawAll = (marks: readonly Mark[], reading: Reading): string =>
  marks.map((mark, index) => drawOne(mark, marks[index + 1], reading)).join('');

function drawOne(mark: Mark, next: Mark | undefined, reading: Reading): string {
  const inside = 'inside' in mark ? drawAll(mark.inside, reading) : '';
  // What is a block of its own ends its line by itself.
  const end = next === undefined || next.kind === 'break' ? '' : '\n';
  switch (mark.kind) {
    case 'text':
    case 'code':
    case 'mention':
      return mark.text;
    case 'break':
      return '\n';
    case 'block':
      return mark.text + end;
    case 'heading':
    case 'small':
      return inside + end;
    case 'quote':
      return inside.replace(/\n$/, '').replace(/^/gm, '│ ') + end;
    case 'link':
      return inside === mark.href ? inside : `${inside} (${mark.href})`;
    case 'time':
      return timeText(mark.seconds, {
        format: mark.format,
        locale: reading.locale ?? 'en-US',
        now: reading.now,
      });
    default:
      return inside;
  }
}
