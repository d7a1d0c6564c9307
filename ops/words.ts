import { writeFileSync } from 'node:fs';
import { ENGLISH, languages } from '../src/words/languages.ts';
import { stemOf, type Tree } from '../test/words/language-files.ts';

/*
 * Brings the files of all languages up to en.json: what they lack is there in English until somebody translates it, and
 * what English no longer has goes. `npm run words`, after a change of en.json.
 */

/** What the language has of a part of en.json, and English for the rest. */
function completed(tag: string, english: Tree, translated: Tree): Tree {
  const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  // A language may have more forms of the service's name than English, which has two.
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

for (const { tag, sentences } of languages) {
  if (tag === ENGLISH.tag) continue;
  const complete = completed(tag, ENGLISH.sentences, sentences);
  writeFileSync(
    new URL(`../src/words/${tag}.json`, import.meta.url),
    `${JSON.stringify(complete, null, 2)}\n`,
  );
}
