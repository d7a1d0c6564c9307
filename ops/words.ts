import { readFileSync, writeFileSync } from 'node:fs';
import { ENGLISH, languages } from '../src/words/languages.ts';
import { stemOf, type Tree } from '../test/words/language-files.ts';
import { markedDue } from './due-words.ts';

/*
 * Updates all language files to match en.json. Adds missing sentences in English so they can be translated, and removes
 * sentences that are no longer in en.json. Run `npm run words` after you change en.json.
 */

/** Returns the translation of a part of en.json. Sentences that aren't translated yet stay in English. */
function completed(tag: string, english: Tree, translated: Tree): Tree {
  const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  // Keeps grammatical forms of the service's name that English doesn't have.
  const complete: Record<string, string | Tree> = 'Service' in english ? { ...translated } : {};
  for (const [key, text] of Object.entries(english)) {
    const stem = stemOf(key);
    if (typeof text !== 'string') {
      const own = translated[key];
      complete[key] = completed(tag, text, typeof own === 'object' ? own : {});
      continue;
    }
    const own = Object.entries(translated).filter(([each]) => stemOf(each) === stem);
    const copied =
      key === stem ? [[key, text]] : forms.map((form) => [`${stem}_${form}`, english[`${stem}_other`]]);
    Object.assign(complete, Object.fromEntries(own.length > 0 ? own : copied));
  }
  return complete;
}

const inWords = (name: string) => new URL(`../src/words/${name}.json`, import.meta.url);
const write = (name: string, content: unknown) =>
  writeFileSync(inWords(name), `${JSON.stringify(content, null, 2)}\n`);

const translations = new Map<string, Tree>();
for (const { tag, sentences } of languages) {
  if (tag === ENGLISH.tag) continue;
  const complete = completed(tag, ENGLISH.sentences, sentences);
  translations.set(tag, complete);
  write(tag, complete);
}

const marked = markedDue(JSON.parse(readFileSync(inWords('due'), 'utf8')), ENGLISH.sentences, translations);
const isDone = process.argv.includes('--done');
write('due', isDone ? { ...marked, due: {} } : marked);
for (const [tag, keys] of isDone ? [] : Object.entries(marked.due)) {
  process.stdout.write(`${tag}: ${Object.keys(keys).join(' ')}\n`);
}
