import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Locale } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { ADDED, KNOWN_ERRORS } from '../../src/listing/contract.ts';
import { ENGLISH, languages } from '../../src/words/languages.ts';
import { PLURAL, sentencesOf, stemOf, valuesIn } from './language-files.ts';
import { LONGER_BY } from './pseudo-language.ts';
import { withoutRoom } from './room.ts';

const notes: object = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../src/words/notes.json'), 'utf8'),
);

/*
 * Compares every language with English, without running a bot, and finds missing or superfluous sentences. To check a
 * single language: npx vitest run test/words/languages.test.ts -t "strings in fr". room.ts finds sentences that Discord would
 * cut.
 */

/** The keys of the service's name in different forms. A language can have as many forms as it needs. */
const NAMES = /^listing\.(?:un)?named\./;
/** Other sentences use these keys to refer to the service. */
const ownNames = (keys: Iterable<string>) =>
  new Set([...keys].filter((key) => NAMES.test(key)).map((key) => key.replace(NAMES, '')));

const english = sentencesOf(ENGLISH.sentences);
const englishStems = new Set([...english.keys()].map(stemOf));
/** Returns the English sentence to compare with. Uses the `other` form for plural forms that English lacks. */
const originalOf = (key: string): string =>
  english.get(key) ?? english.get(`${stemOf(key)}_other`) ?? english.get(stemOf(key)) ?? '';

/** Values of the maximum length. Some contain a message from the service (`MOST_TEXT` in `escape.ts`). */
const LONGEST_TEXTS = new Set(['message', 'said', 'original', 'what']);
const longest = (name: string) => 'x'.repeat(LONGEST_TEXTS.has(name) ? 1_200 : 120);

/** Numbers that together use every plural form in every language. */
const COUNTS = [...Array(200).keys(), 1_000, 1_000_000];

describe('the notes for translators', () => {
  it('explain where each string is shown', () => {
    const isAbout = (note: string, key: string) => key === note || key.startsWith(`${note}.`);
    const about = Object.keys(notes).filter((note) => valuesIn(note).length === 0);
    expect([...englishStems].filter((key) => !about.some((note) => isAbout(note, key)))).toEqual([]);
    expect(about.filter((note) => ![...englishStems].some((key) => isAbout(note, key)))).toEqual([]);
  });

  it('describe every placeholder', () => {
    const values = new Set([...english.values()].flatMap(valuesIn));
    const about = Object.keys(notes).flatMap(valuesIn);
    expect([...values].filter((value) => !about.includes(value))).toEqual([]);
    expect(about.filter((value) => !values.has(value))).toEqual([]);
  });
});

describe("the bot's code", () => {
  it("doesn't hard-code language-specific separators or colons", () => {
    const root = join(import.meta.dirname, '../..');
    const files = globSync(['src/app.ts', 'src/{interactions,words}/*.ts', 'commands/**/*.ts'], {
      cwd: root,
    });
    const code = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
    expect(code.match(/\.join\(', '\)|\)\}: [`$]|\}: \$\{t\(/g)).toBeNull();
  });
});

describe('the languages', () => {
  it('have unique locales that Discord supports', () => {
    const locales = languages.flatMap((language) => language.locales);
    const known: readonly string[] = Object.values(Locale);
    expect(locales.filter((locale) => !known.includes(locale))).toEqual([]);
    expect(locales.filter((locale, index) => locales.indexOf(locale) !== index)).toEqual([]);
  });

  it('are all covered by the check for overlong labels', () => {
    const name = 'x'.repeat(60);
    expect(withoutRoom([{ components: [{ type: 2, label: `Use ${name}` }] }])).toEqual([]);
    const faults = withoutRoom([{ components: [{ type: 2, label: `Use ${name}${name}` }] }]);
    expect(faults.map((fault) => fault.split(',')[0])).toEqual(languages.map(({ tag }) => tag));
  });
});

it("the English strings quote the service's messages word for word", () => {
  const { both: _both, quoted: _quoted, ...said } = ENGLISH.sentences.said;
  expect(said).toEqual({
    added: ADDED,
    ...KNOWN_ERRORS,
  });
});

describe.each(languages)('the strings in $tag', ({ tag, sentences: tree }) => {
  const sentences = sentencesOf(tree);
  const names = ownNames(sentences.keys());
  const plurals = new Intl.PluralRules(tag);
  const forms = plurals.resolvedOptions().pluralCategories;

  /** Every sentence except the ones about the service's name. */
  const translated = [...sentences].filter(([key]) => !NAMES.test(key));
  const known = translated.filter(([key]) => englishStems.has(stemOf(key)));

  it('have the same keys as in English', () => {
    const stems = new Set(translated.map(([key]) => stemOf(key)));
    const wanted = [...englishStems].filter((key) => !NAMES.test(key));
    expect({
      missing: wanted.filter((key) => !stems.has(key)),
      extra: [...stems].filter((key) => !englishStems.has(key)),
    }).toEqual({ missing: [], extra: [] });
  });

  it("include every form of the service's name", () => {
    const { named, unnamed } = tree.listing;
    expect(Object.keys(unnamed).toSorted()).toEqual(Object.keys(named).toSorted());
    const missing = [...ownNames(english.keys())].filter((form) => !names.has(form));
    expect(missing).toEqual([]);
    const isWrong = (text: string) => text.split('[').length !== 2 || text.split(']').length !== 2;
    const texts = [...Object.values(unnamed), ...Object.values(named)];
    expect(texts.filter(isWrong), 'one link in each').toEqual([]);
  });

  it(`use the plural forms ${forms.join(', ')}`, () => {
    const isPlural = (stem: string) => sentences.has(`${stem}_other`) || english.has(`${stem}_other`);
    const stems = [...new Set(translated.map(([key]) => stemOf(key)))].filter(isPlural);
    const wanted = stems.flatMap((stem) => forms.map((form) => `${stem}_${form}`));
    const given = translated.map(([key]) => key).filter((key) => isPlural(stemOf(key)));
    expect({
      missing: wanted.filter((key) => !sentences.has(key)),
      extra: given.filter((key) => !wanted.includes(key)),
    }).toEqual({ missing: [], extra: [] });
  });

  it('have the same placeholders as in English', () => {
    /** Whether a form can omit the number because it only applies to one, as in "the first one". */
    const canLackCount = (key: string) => {
      const form = PLURAL.exec(key)?.[1];
      return form !== undefined && COUNTS.filter((count) => plurals.select(count) === form).length === 1;
    };
    const faults = known.flatMap(([key, sentence]) => {
      const isName = (value: string) => DISCORD_NAMES.has(value) || names.has(value.replace(/_plain$/, ''));
      const given = valuesIn(sentence);
      const wanted = valuesIn(english.get(`${stemOf(key)}_other`) ?? originalOf(key));
      const needed = wanted.filter((value) => !NAME_FORMS.has(value.replace(/_plain$/, '')));
      const missing = needed.filter(
        (value) => !given.includes(value) && !(value === 'count' && canLackCount(key)),
      );
      const extra = given.filter((value) => !wanted.includes(value) && !isName(value));
      return [
        ...missing.map((value) => `${key} lacks {{${value}}}`),
        ...extra.map((value) => `${key} has {{${value}}}, which English has not`),
        ...(/\{\{(?!\w+\}\})|\$t\(/.test(sentence) ? [`${key} has something else in {{…}}`] : []),
        ...(sentence === '' && originalOf(key) !== '' ? [`${key} is empty`] : []),
        ...(sentence !== '' && originalOf(key) === '' ? [`${key} is not empty, as in English`] : []),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('have the same emoji and markup as in English', () => {
    const MARKS = /\p{Extended_Pictographic}|<[^<>]*>|`|\*\*|\n> |-# /gu;
    const marksIn = (sentence: string) => (sentence.match(MARKS) ?? []).toSorted().join(' ');
    const faults = known
      .map(([key, sentence]) => ({ key, marks: marksIn(sentence), wanted: marksIn(originalOf(key)) }))
      .filter(({ marks, wanted }) => marks !== wanted)
      .map(({ key, marks, wanted }) => `${key} has ${marks || 'none'} and English ${wanted || 'none'}`);
    expect(faults).toEqual([]);
  });

  it("don't hard-code the names of Discord pages or permissions", () => {
    const { ManageGuild } = tree.permission;
    const names = [ManageGuild, tree.discord.serverSettings];
    const faults = translated.filter(
      ([key, text]) => !/^(?:permission|discord)\./.test(key) && names.some((name) => text.includes(name)),
    );
    expect(faults).toEqual([]);
  });

  /** Returns the words of a sentence in lower case, without its values. */
  const wordsIn = (text: string): readonly string[] =>
    [...segmenter.segment(text.replace(/\{\{\w+\}\}/g, ' ').toLowerCase())]
      .filter(({ isWordLike }) => isWordLike === true)
      .map(({ segment }) => segment);
  const segmenter = new Intl.Segmenter(tag, { granularity: 'word' });
  /** Whether these are forms of the same word, such as "rechazado" and "rechazados". */
  const isSame = (one: string, other: string): boolean =>
    one.slice(0, STEM) === other.slice(0, STEM) && Math.abs(one.length - other.length) <= STEM;

  it.each([
    'rejected',
    'not-sent',
    'unknown',
  ] as const)('use the same word for "%s" with and without a count', (kind) => {
    const [word = ''] = wordsIn(tree.outcome[kind]).toSorted((one, other) => other.length - one.length);
    const keys = ['one', 'many'].map((group) => `ended.${group}.${kind}`);
    const texts = known.filter(([key]) => keys.includes(stemOf(key)));
    expect(texts).not.toEqual([]);
    expect(texts.filter(([, text]) => !wordsIn(text).some((each) => isSame(each, word)))).toEqual([]);
  });

  it('use different words for unconfirmed servers and unknown games', () => {
    const unknown = wordsIn(tree.problem.short['game-unknown']);
    const isAlone = ([word = '', ...others]: readonly string[]) =>
      others.length === 0 && unknown.some((each) => isSame(each, word));
    const said = known.filter(([key]) => /^(?:outcome|ended\.one|ended\.many)\.unknown$/.test(stemOf(key)));
    expect(said.filter(([, text]) => isAlone(wordsIn(text)))).toEqual([]);
  });

  it("use the punctuation of the language's script", () => {
    const asciiBehindWide = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}][,:!?]/u;
    expect(translated.filter(([, text]) => asciiBehindWide.test(text))).toEqual([]);
  });

  it('use a different term for every outcome', () => {
    const outcomes = Object.values(tree.outcome);
    expect(outcomes.filter((name, index) => outcomes.indexOf(name) !== index)).toEqual([]);
  });

  it('fit in a message, even with the longest values', () => {
    const faults = translated
      .map(([key, sentence]) => ({ key, length: filled(sentence, tree.listing.unnamed, longest).length }))
      .filter(({ length }) => length > 2_000)
      .map(({ key, length }) => `${key}: ${length} characters`);
    expect(faults).toEqual([]);
  });

  it("aren't much longer than in English", () => {
    const faults = known
      .map(([key, sentence]) => ({
        key,
        length: sentence.length,
        most: Math.ceil(originalOf(key).length * (1 + LONGER_BY)) + SHORT_WORDS,
      }))
      .filter(({ length, most }) => length > most)
      .map(({ key, length, most }) => `${key}: ${length} characters, at most ${most}`);
    expect(faults).toEqual([]);
  });
});

/** Replaces all placeholders in a sentence. Uses the service's generic name. */
function filled(
  sentence: string,
  unnamed: Readonly<Record<string, string>>,
  valueFor: (name: string) => string,
): string {
  return sentence.replace(
    /\{\{(\w+)\}\}/g,
    (_all, name: string) => unnamed[name.replace(/_plain$/, '')] ?? valueFor(name),
  );
}

const NAME_FORMS = ownNames(english.keys());
/** Values that `words.ts` adds for the names of Discord's pages and permissions. Every sentence can use them. */
const DISCORD_NAMES = new Set([...Object.keys(ENGLISH.sentences.discord), 'manageGuild']);
/** How many letters two forms of a word must share at the start. */
const STEM = 5;
/** How many extra characters a translation can have. Short strings grow the most: `Edit` is `Bearbeiten`. */
const SHORT_WORDS = 25;
