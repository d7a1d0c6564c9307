import { parse } from 'discord-markdown-parser';
import { timeText } from './page/client/times.ts';

/** A piece of a Discord text. */
export type Mark =
  | { readonly kind: 'text' | 'code' | 'block' | 'mention'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: Holder; readonly inside: readonly Mark[] }
  | { readonly kind: 'link'; readonly href: string; readonly inside: readonly Mark[] }
  /** Seconds since 1970, and Discord's letter for the format. */
  | { readonly kind: 'time'; readonly seconds: number; readonly format: string };

type Holder = 'strong' | 'em' | 'underline' | 'strike' | 'spoiler' | 'quote' | 'small' | 'heading';

type Node = ReturnType<typeof parse>[number];
type Named = (id: string) => string | undefined;

/** Pieces that contain others, by the parser's name for them. */
const HOLDERS: Readonly<Record<string, Holder>> = {
  strong: 'strong',
  em: 'em',
  underline: 'underline',
  strikethrough: 'strike',
  spoiler: 'spoiler',
  blockQuote: 'quote',
  subtext: 'small',
  heading: 'heading',
};

/** Parses Discord's markdown, as far as bots may use it, into pieces. `nameOf` supplies the names for mentions. */
export function marksOf(text: string, nameOf: Named): readonly Mark[] {
  const marks = parse(text, 'extended').map((node) => markOf(node, nameOf));
  return withBullets(withSmall(joined(marks)));
}

function markOf(node: Node, nameOf: Named): Mark {
  const { type, content, id, name, target, timestamp, format } = node;
  const inside = (): readonly Mark[] =>
    Array.isArray(content)
      ? joined(content.map((each: Node) => markOf(each, nameOf)))
      : [{ kind: 'text', text: String(content ?? '') }];
  const holder = HOLDERS[type];
  if (holder !== undefined) return { kind: holder, inside: inside() };
  const named = String(nameOf(String(id)) ?? id);
  switch (type) {
    case 'br':
    case 'newline':
      return { kind: 'break' };
    case 'inlineCode':
      return { kind: 'code', text: String(content) };
    case 'codeBlock':
      return { kind: 'block', text: String(content) };
    case 'user':
    case 'role':
      return { kind: 'mention', text: named.startsWith('@') ? named : `@${named}` };
    case 'channel':
      return { kind: 'mention', text: `#${named}` };
    case 'everyone':
    case 'here':
      return { kind: 'mention', text: `@${type}` };
    case 'slashCommand':
      return { kind: 'mention', text: `/${node.fullName ?? name}` };
    case 'timestamp':
      return { kind: 'time', seconds: Number(timestamp), format: String(format ?? 'f') };
    case 'url':
    case 'autolink':
    case 'link':
      // Only web addresses, so that no link runs a script.
      return { kind: 'link', href: /^https?:\/\//i.test(String(target)) ? target : '#', inside: inside() };
    case 'emoji':
      return { kind: 'text', text: `:${name}:` };
    default:
      return { kind: 'text', text: String(name ?? content ?? '') };
  }
}

/** Joins neighbouring texts, because the parser splits them into fragments. */
function joined(marks: readonly Mark[]): readonly Mark[] {
  const whole: Mark[] = [];
  for (const mark of marks) {
    const last = whole.at(-1);
    if (mark.kind === 'text' && last?.kind === 'text')
      whole[whole.length - 1] = { kind: 'text', text: last.text + mark.text };
    else whole.push(mark);
  }
  return whole;
}

/** Adds bullets, because the parser doesn't handle lists. */
const withBullets = (marks: readonly Mark[]): readonly Mark[] =>
  marks.map((mark, index) => {
    if (mark.kind !== 'text') return mark;
    const before = marks[index - 1]?.kind ?? 'break';
    const begins = before === 'break' || BLOCKS.has(before);
    const text = mark.text.replace(/(\n *)[-*] (?=\S|$)/g, '$1• ');
    return { kind: 'text', text: begins ? text.replace(/^( *)[-*] /, '$1• ') : text };
  });

/** Marks `-# ` on the line after a quotation, which the parser misses. */
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

/**
 * Formats pieces as plain English text: formatting is removed, mentions and times become words.
 * @param now milliseconds since 1970, for "2 minutes ago"
 */
export const drawText = (marks: readonly Mark[], now: number): string =>
  marks.map((mark, index) => drawOne(mark, marks[index + 1], now)).join('');

function drawOne(mark: Mark, next: Mark | undefined, now: number): string {
  if (mark.kind === 'break') return '\n';
  if (mark.kind === 'time') return timeText(mark.seconds, { format: mark.format, locale: 'en-US', now });
  const inside = 'inside' in mark ? drawText(mark.inside, now) : mark.text;
  if (mark.kind === 'link') return inside === mark.href ? inside : `${inside} (${mark.href})`;
  if (!BLOCKS.has(mark.kind)) return inside;
  const block = mark.kind === 'quote' ? inside.replace(/\n$/, '').replace(/^/gm, '│ ') : inside;
  // A block ends its own line.
  return next === undefined || next.kind === 'break' ? block : `${block}\n`;
}

/** Pieces that are separate lines. */
export const BLOCKS: ReadonlySet<Mark['kind']> = new Set(['quote', 'block', 'heading', 'small']);

/** The users and roles that a text mentions, each once. */
export interface Mentions {
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
}

export function namedIn(text: string): Mentions {
  // Most texts mention no one, so they needn't be parsed.
  const nodes = /[<@]/.test(text) ? allNodes(parse(text, 'normal')) : [];
  const ids = (kind: 'user' | 'role') => [
    ...new Set(nodes.filter(({ type }) => type === kind).map(({ id }) => String(id))),
  ];
  return {
    users: ids('user'),
    roles: ids('role'),
    everyone: nodes.some(({ type }) => type === 'everyone' || type === 'here'),
  };
}

const allNodes = (nodes: readonly Node[]): readonly Node[] =>
  nodes.flatMap((node) => [node, ...(Array.isArray(node.content) ? allNodes(node.content) : [])]);
