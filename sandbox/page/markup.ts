import { parse } from 'discord-markdown-parser';
import type { Mark } from './protocol.ts';

type Node = ReturnType<typeof parse>[number];
type Named = (id: string) => string | undefined;

/** What holds other pieces, by the parser's name for it. */
const HOLDERS = {
  strong: 'strong',
  em: 'em',
  underline: 'underline',
  strikethrough: 'strike',
  spoiler: 'spoiler',
  blockQuote: 'quote',
  subtext: 'small',
  heading: 'heading',
} as const;

/** Discord's markdown as bots may write it, in pieces; mentions by the names that `nameOf` gives. */
export function marksOf(text: string, nameOf: Named): readonly Mark[] {
  return withBullets(withSmall(joined(parse(text, 'extended').flatMap((node) => markOf(node, nameOf)))));
}

function markOf(node: Node, nameOf: Named): Mark[] {
  const { type, content, id, name, target, timestamp, format } = node;
  const inside = (): readonly Mark[] =>
    Array.isArray(content)
      ? joined(content.flatMap((each: Node) => markOf(each, nameOf)))
      : [{ kind: 'text', text: String(content ?? '') }];
  if (Object.hasOwn(HOLDERS, type))
    return [{ kind: HOLDERS[type as keyof typeof HOLDERS], inside: inside() }];
  switch (type) {
    case 'br':
    case 'newline':
      return [{ kind: 'break' }];
    case 'inlineCode':
      return [{ kind: 'code', text: String(content) }];
    case 'codeBlock':
      return [{ kind: 'block', text: String(content) }];
    case 'user':
    case 'role':
      return [{ kind: 'mention', text: `@${(nameOf(String(id)) ?? String(id)).replace(/^@/, '')}` }];
    case 'channel':
      return [{ kind: 'mention', text: `#${nameOf(String(id)) ?? id}` }];
    case 'everyone':
    case 'here':
      return [{ kind: 'mention', text: `@${type}` }];
    case 'slashCommand':
      return [{ kind: 'command', text: String(node.fullName ?? name) }];
    case 'timestamp':
      return [{ kind: 'time', seconds: Number(timestamp), format: String(format ?? 'f') }];
    case 'url':
    case 'autolink':
    case 'link':
      return [{ kind: 'link', href: safe(String(target)), inside: inside() }];
    case 'twemoji':
    case 'emoticon':
      return [{ kind: 'text', text: String(name ?? content) }];
    case 'emoji':
      return [{ kind: 'text', text: `:${name}:` }];
    default:
      return [{ kind: 'text', text: String(content ?? '') }];
  }
}

/** An address of the web, and nothing that runs. */
const safe = (target: string): string => (/^https?:\/\//i.test(target) ? target : '#');

/** Neighbouring texts as one: the parser gives words in shreds. */
function joined(marks: readonly Mark[]): Mark[] {
  const whole: Mark[] = [];
  for (const mark of marks) {
    const last = whole.at(-1);
    if (mark.kind === 'text' && last?.kind === 'text')
      whole[whole.length - 1] = { kind: 'text', text: last.text + mark.text };
    else whole.push(mark);
  }
  return whole;
}

/** The parser leaves lists as they are. */
const withBullets = (marks: readonly Mark[]): readonly Mark[] =>
  marks.map((mark, index) => {
    const before = marks[index - 1]?.kind ?? 'break';
    const begins = ['break', 'heading', 'block', 'quote', 'small'].includes(before);
    if (mark.kind !== 'text') return mark;
    const text = mark.text.replace(/(\n *)[-*] (?=\S|$)/g, '$1• ');
    return { kind: 'text', text: begins ? text.replace(/^( *)[-*] /, '$1• ') : text };
  });

/** The parser does not see `-# ` in the line behind a quotation. */
function withSmall(marks: readonly Mark[]): readonly Mark[] {
  const at = marks.findIndex(
    (mark, index) =>
      marks[index - 1]?.kind === 'quote' && mark.kind === 'text' && mark.text.startsWith('-# '),
  );
  const first = marks[at];
  if (first?.kind !== 'text') return marks;
  const next = marks.findIndex((mark, index) => index > at && mark.kind === 'break');
  const end = next === -1 ? marks.length : next;
  const inside = [{ ...first, text: first.text.slice(3) }, ...marks.slice(at + 1, end)];
  return [...marks.slice(0, at), { kind: 'small', inside }, ...withSmall(marks.slice(end))];
}
