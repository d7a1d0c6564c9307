import { expect, it } from 'vitest';
import { toldAfterRestart } from '../../src/words/history.ts';
import { createWords } from '../../src/words/words.ts';

const { wordsFor, pages } = createWords();
const servers = [{ server: 'a.example.com', port: 1, game: 'cs2' }];
const REFUSED = { kind: 'rejected', message: 'Invalid API key provided.', known: 'invalidKey' } as const;

it.each([
  { locale: 'en-US', isAdmin: true, words: 'Renew the key with /setkey' },
  { locale: 'en-US', isAdmin: false, words: 'ask an admin' },
  { locale: 'de', isAdmin: true, words: '/setkey' },
  { locale: 'de', isAdmin: false, words: 'Admin' },
])('after a restart a refused key is told with what to do next ($locale, $isAdmin)', ({
  locale,
  isAdmin,
  words,
}) => {
  const reader = { t: wordsFor(locale), pages, mention: (name: string) => `/${name}`, isAdmin };
  const told = (outcome: Parameters<typeof toldAfterRestart>[1]['outcomes'][number]) =>
    toldAfterRestart(reader, { servers, outcomes: [outcome] }, { find: () => undefined });
  expect(told(REFUSED).toLowerCase()).toContain(words.toLowerCase());
  expect(told({ kind: 'accepted', message: 'ok' }).toLowerCase()).not.toContain(words.toLowerCase());
});
