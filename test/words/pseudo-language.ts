import type { SeenModal } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { ENGLISH, type Language, languages, type Sentences } from '../../src/words/languages.ts';

/*
 * A language that wraps English sentences in ⟦…⟧ and pads them by 40%, more than any real language needs. Text outside
 * ⟦…⟧ isn't translated. Text without ⟧ was too long for Discord and was cut.
 */

export const LONGER_BY = 0.4;

type Tree = { readonly [key: string]: string | Tree };

function pseudo(sentence: string): string {
  const length = sentence.replace(/\{\{\w+\}\}/g, '').length;
  return `⟦${sentence}${'·'.repeat(Math.max(0, Math.ceil(length * LONGER_BY) - 2))}⟧`;
}

const translated = (tree: Tree): Tree =>
  Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [
      key,
      typeof value === 'string' ? pseudo(value) : translated(value),
    ]),
  );

/** Discord's locale for the pseudo-language: Finnish, which the bot doesn't support. */
export const PSEUDO_LOCALE = 'fi';

/** The bot's languages and the pseudo-language. */
export const withPseudoLanguage: readonly Language[] = [
  ...languages,
  {
    tag: 'en',
    locales: [PSEUDO_LOCALE],
    sentences: translated(ENGLISH.sentences) as Sentences,
  },
];

/** Returns everything that users read in a message or a modal, except their own input and the names in select menus. */
export function textsOf(shown: SeenMessage | SeenModal): readonly string[] {
  const texts: string[] = [];
  const read = (value: unknown): void => {
    for (const [key, inner] of Object.entries(Object(value))) {
      if (typeof inner === 'string' && READ.has(key)) texts.push(inner);
      else if (key !== 'options' && typeof inner === 'object') read(inner);
    }
  };
  if ('data' in shown) read(shown.data);
  else read({ content: shown.current?.content, of: [shown.current?.embeds, shown.current?.components] });
  return texts;
}

const READ: ReadonlySet<string> = new Set([
  'content',
  'title',
  'description',
  'label',
  'placeholder',
  'text',
]);

/** Returns the text outside sentences, without times, mentions, links and code spans. */
function outside(text: string): string {
  let depth = 0;
  const kept = [...text].filter((character) => {
    if (character === '⟦') depth += 1;
    if (character !== '⟧') return depth === 0;
    depth = Math.max(0, depth - 1);
    return false;
  });
  return kept.join('').replace(/<[^<>]*>|`[^`]*`/g, '');
}

/**
 * Returns the mistakes in a message or modal in the pseudo-language.
 * @param names strings that are the same in every language, such as the names of games
 */
export function faultsOf(shown: SeenMessage | SeenModal, names: readonly string[]): readonly string[] {
  return textsOf(shown).flatMap((text) => {
    const count = (bracket: string) => text.split(bracket).length;
    const rest = names.reduce((all, name) => all.replaceAll(name, ''), outside(text));
    return [
      ...(count('⟦') > count('⟧') ? [`too long: ${text}`] : []),
      ...(/\p{L}/u.test(rest) ? [`not translated: ${rest.trim()} (in ${text})`] : []),
    ];
  });
}
