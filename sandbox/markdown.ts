import { parse } from 'discord-markdown-parser';
import { timeText } from './page/client/times.ts';

/** A part of a message's text: plain text or a formatted element. */
export type Mark =
  | { readonly kind: 'text' | 'code' | 'block' | 'mention'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: Holder; readonly inside: readonly Mark[] }
  | { readonly kind: 'link'; readonly href: string; readonly inside: readonly Mark[] }
  /** The time in seconds since 1970, and Discord's letter for its format. */
  | { readonly kind: 'time'; readonly seconds: number; readonly format: string };

type Holder = 'strong' | 'em' | 'underline' | 'strike' | 'spoiler' | 'quote' | 'small' | 'heading';

type Node = ReturnType<typeof parse>[number];
type NameLookup = (id: string) => string | undefined;

/** Elements that contain other elements, by the parser's names for them. */
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

/** Parses the kinds of Discord Markdown that bots can use. `nameOf` returns the name to show for a mention. */
export function marksOf(text: string, nameOf: NameLookup): readonly Mark[] {
  const marks = parse(text, 'extended').map((node) => markOf(node, nameOf));
  return withBullets(withSmall(joined(marks)));
}

function markOf(node: Node, nameOf: NameLookup): Mark {
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
      // Only links to web addresses work, so a link can't run a script.
      return { kind: 'link', href: /^https?:\/\//i.test(String(target)) ? target : '#', inside: inside() };
    case 'emoji':
      return { kind: 'text', text: `:${name}:` };
    default:
      return { kind: 'text', text: String(name ?? content ?? '') };
  }
}

/** Merges adjacent text elements, because the parser splits text into fragments. */
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

/** Replaces list markers with bullets, because the parser doesn't support lists. */
const withBullets = (marks: readonly Mark[]): readonly Mark[] =>
  marks.map((mark, index) => {
    if (mark.kind !== 'text') return mark;
    const before = marks[index - 1]?.kind ?? 'break';
    const begins = before === 'break' || BLOCKS.has(before);
    const text = mark.text.replace(/(\n *)[-*] (?=\S|$)/g, '$1• ');
    return { kind: 'text', text: begins ? text.replace(/^( *)[-*] /, '$1• ') : text };
  });

/** Finds lines that begin with `-# ` right after a quote and makes them small, because the parser misses them. */
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
 * Converts elements to plain English text. Removes formatting, and writes mentions and times as words.
 * @param now the time in milliseconds since 1970, for relative times such as "2 minutes ago"
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
  // Ends the line after a block element, unless a line break follows anyway.
  return next === undefined || next.kind === 'break' ? block : `${block}\n`;
}

/** Elements that take up whole lines. */
const BLOCKS: ReadonlySet<Mark['kind']> = new Set(['quote', 'block', 'heading', 'small']);

/** The users and roles that a message mentions, without duplicates. */
export interface Mentions {
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
}

export function namedIn(text: string): Mentions {
  // Most messages don't mention anyone, so they don't need to be parsed.
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
