import { createHash } from 'node:crypto';
import { sentencesOf, stemOf, type Tree } from '../test/words/language-files.ts';

/** The content of `src/words/due.json`: hashes of all English sentences, and the translations that are out of date. */
export interface DueWords {
  /** A hash of each English sentence, including all its plural forms, by key. */
  readonly english: Readonly<Record<string, string>>;
  /** A hash of each out-of-date translation, by language and key. */
  readonly due: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Marks translations as due if their English sentence is new or has changed. Removes the mark once the translation has changed. */
export function markedDue(
  before: DueWords,
  english: Tree,
  translations: ReadonlyMap<string, Tree>,
): DueWords {
  const now = hashesOf(english);
  const changed = [...now].filter(([key, hash]) => before.english[key] !== hash).map(([key]) => key);
  const due = [...translations].map(([tag, tree]) => {
    const hashes = hashesOf(tree);
    const marked = before.due[tag] ?? {};
    const keys = [...now.keys()].filter((key) => changed.includes(key) || marked[key] === hashes.get(key));
    return [tag, Object.fromEntries(keys.map((key) => [key, hashes.get(key) ?? '']))] as const;
  });
  return {
    english: Object.fromEntries(now),
    due: Object.fromEntries(due.filter(([, marked]) => Object.keys(marked).length > 0)),
  };
}

/** Returns an 8-character hash of each sentence, including all its plural forms, by key. */
function hashesOf(tree: Tree): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [key, text] of sentencesOf(tree)) {
    const stem = stemOf(key);
    texts.set(stem, `${texts.get(stem) ?? ''}\n${text}`);
  }
  return new Map(
    [...texts].map(([stem, text]) => [stem, createHash('sha256').update(text).digest('hex').slice(0, 8)]),
  );
}
