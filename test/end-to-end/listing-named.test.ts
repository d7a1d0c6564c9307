import { expect } from 'vitest';
import { botTest, messageOf, type Shown } from '../support/bot.ts';
import { addServer, componentsOf, paste, pressSubmit } from '../support/people.ts';

const it = botTest({
  env: { LISTING_NAME: 'Game List', LISTING_URL: 'https://list.example/search?q={address}' },
});

const links = (answer: Shown) => componentsOf(answer).filter((each) => 'url' in each);
const contentOf = (answer: Shown) => messageOf(answer).current?.content;

it('replies link to the listing service under its configured name', async ({ member, listing }) => {
  await listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } }, 1);
  expect(contentOf(await addServer(member, 'named.example.com:27015'))).toContain(
    '❌ Rejected. [Game List](<https://list.example/search>) says:',
  );
});

it("replies about unknown outcomes link to the service's page", async ({ member, listing }) => {
  await listing.behave({ kind: 'reset' }, 1);
  const page = 'https://list.example/search?q=lost.example.com%3A27015';
  const answer = await addServer(member, 'lost.example.com:27015');
  expect(contentOf(answer)).toContain(`Check [Game List](<${page}>) before`);
  expect(links(answer)).toMatchObject([{ url: page, label: 'Open Game List' }]);

  const list = async (servers: string) => {
    await listing.behave({ kind: 'reset' }, 1);
    return links(await pressSubmit(member, await paste(member, servers)));
  };
  expect(await list('a.example.com:1 cs2')).toMatchObject([
    { url: 'https://list.example/search?q=a.example.com%3A1', label: 'Open Game List' },
  ]);
  expect(await list('b.example.com:1 cs2\nb.example.com:2 cs2')).toMatchObject([
    { url: 'https://list.example/search', label: 'Open Game List' },
  ]);
  const known = await pressSubmit(member, await paste(member, 'c.example.com:1 cs2'));
  expect(links(known)).toEqual([]);
});
