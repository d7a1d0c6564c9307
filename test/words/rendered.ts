import { parse } from 'discord-markdown-parser';

type Node = ReturnType<typeof parse>[number];

export interface Rendered {
  /** The visible text, without markup. */
  readonly text: string;
  /** The kinds of everything that isn't plain text: `strong`, `url`, `user`, `invite` and so on. */
  readonly active: readonly string[];
}

/**
 * Renders a message as Discord does for bots, whose messages can contain masked links. Also finds features that the parser
 * doesn't know.
 */
export function rendered(markup: string): Rendered {
  const nodes = parse(markup, 'extended').flatMap(flat);
  return {
    text: nodes.map(textOf).join(''),
    active: [...nodes.map(({ type }) => type).filter((type) => !PASSIVE.has(type)), ...unparsed(markup)],
  };
}

/** A Unicode emoji is a normal character. */
const PASSIVE: ReadonlySet<string> = new Set(['text', 'twemoji', 'br', 'newline']);

function flat(node: Node): Node[] {
  const { content } = node;
  return Array.isArray(content) ? [{ ...node, content: '' }, ...content.flatMap(flat)] : [node];
}

function textOf({ type, content, name }: Node): string {
  if (type === 'br' || type === 'newline') return '\n';
  return type === 'twemoji' ? String(name) : String(content ?? '');
}

/** Features of Discord's clients that react to the raw text. They can be prevented with a backslash or a code span. */
const BY_CLIENTS = {
  invite: /discord(?:app)?\.(?:gg|com|new|gift)[\\/]/i,
  // Phones automatically turn these into links.
  address: /[\p{L}\p{N}]\.\p{L}{2,}|[a-z]:\/\//iu,
  email: /[\w.]@\w/u,
  emojiCode: /(?<!\\):[\w+-]+:/u,
  list: /^[> ]*(?:[-*+]|\d+[.)]) /mu,
  subtext: /^[> ]*-#/mu,
  heading: /^(?:> |- )*#{1,3} /mu,
  mention: /(?<!\\)@(?:everyone|here)/u,
  direction: /\p{Bidi_Control}/u,
  invisible: /[\u200b\u2060\ufeff]/u,
} as const;

function unparsed(markup: string): string[] {
  const rest = markup
    .replace(/\\\\|\\`/g, '\\.')
    .replace(/`[^`]*`/g, '')
    // Mentions and times, which the parser already handles.
    .replace(/(?<!\\)<[@#/t][^<>]*>/g, '');
  return Object.entries(BY_CLIENTS).flatMap(([kind, pattern]) => (pattern.test(rest) ? [kind] : []));
}
