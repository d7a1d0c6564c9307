import { parse } from 'discord-markdown-parser';

type Node = ReturnType<typeof parse>[number];

export interface Rendered {
  /** What is read, without markup. */
  readonly text: string;
  /** Everything that is more than text, by its kind: `strong`, `url`, `user`, `invite` and so on. */
  readonly active: readonly string[];
}

/**
 * A message as Discord shows it: parsed as what bots send and embeds hold, with masked links, and searched besides for
 * what the parser does not know.
 */
export function rendered(markup: string): Rendered {
  const nodes = parse(markup, 'extended').flatMap(flat);
  return {
    text: nodes.map(textOf).join(''),
    active: [...nodes.map(({ type }) => type).filter((type) => !PASSIVE.has(type)), ...unparsed(markup)],
  };
}

/** An emoji of Unicode's is a character like others. */
const PASSIVE: ReadonlySet<string> = new Set(['text', 'twemoji', 'br', 'newline']);

function flat(node: Node): Node[] {
  const { content } = node;
  return Array.isArray(content) ? [{ ...node, content: '' }, ...content.flatMap(flat)] : [node];
}

function textOf({ type, content, name }: Node): string {
  if (type === 'br' || type === 'newline') return '\n';
  return type === 'twemoji' ? String(name) : String(content ?? '');
}

/** What Discord's clients do with the text as it was sent. A backslash in it keeps them from it, code does too. */
const BY_CLIENTS = {
  invite: /discord(?:app)?\.(?:gg|com|new|gift)[\\/]/i,
  // Telephones make links of these by themselves.
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
    // Mentions and times, which the parser knows.
    .replace(/(?<!\\)<[@#/t][^<>]*>/g, '');
  return Object.entries(BY_CLIENTS).flatMap(([kind, pattern]) => (pattern.test(rest) ? [kind] : []));
}
