import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf, modalOf, openAppScene, type Scene, textOf } from '../support/scene.ts';

describe('a listing service that the operator has named', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openAppScene({
      key: 'sandbox-key',
      env: { LISTING_NAME: 'Game List', LISTING_URL: 'https://list.example/search?q={address}' },
    });
  });
  afterAll(() => scene.close());

  const add = (server: string, person = scene.member) => person.slash('addserver', { game: 'cs2', server });

  const links = (answer: Awaited<ReturnType<typeof add>>) =>
    (messageOf(answer).current?.components ?? []).flatMap((row) =>
      'components' in row ? row.components.flatMap((each) => ('url' in each ? [each] : [])) : [],
    );

  it('is called so, with a link to its page', async () => {
    const answer = await add('named.example.com:27015');
    expect(messageOf(answer).current?.content).toContain(
      'Sent for review. [Game List](<https://list.example/search>) says:',
    );
  });

  it('is linked to where an outcome is unknown: at that address', async () => {
    await scene.listing.behave({ kind: 'reset' }, 1);
    const page = 'https://list.example/search?q=lost.example.com%3A27015';
    const answer = await add('lost.example.com:27015');
    expect(messageOf(answer).current?.content).toContain(`check [the list](<${page}>) before`);
    expect(links(answer)).toMatchObject([{ url: page, label: 'Check the list' }]);
  });

  it('is called so in German', async () => {
    await scene.listing.behave({ kind: 'reset' }, 1);
    const answer = await add('verloren.example.com:27015', scene.person({ locale: 'de' }));
    const said = messageOf(answer).current?.content;
    expect(said).toContain('Die Verbindung zu [Game List](<https://list.example/search>) ist abgebrochen');
    expect(said).toContain(
      'Sieh in der [Liste](<https://list.example/search?q=verloren.example.com%3A27015>)',
    );
  });

  const addList = async (servers: string, submit: string, person = scene.member) => {
    const preview = await person.submit(modalOf(await person.slash('addservers')), { servers, game: 'cs2' });
    return person.press(messageOf(preview), submit);
  };

  it('is linked to in the report of a list: at the one address that is unknown, or as a whole', async () => {
    await scene.listing.behave({ kind: 'reset' }, 1);
    const one = await addList('list-a.example.com:27015', 'Submit 1 game server');
    await expect
      .poll(() => links(one))
      .toMatchObject([
        { url: 'https://list.example/search?q=list-a.example.com%3A27015', label: 'Check the list' },
      ]);
    await scene.listing.behave({ kind: 'reset' }, 1);
    const several = await addList('list-b.example.com:1\nlist-b.example.com:2', 'Submit 2 game servers');
    await expect
      .poll(() => links(several))
      .toMatchObject([{ url: 'https://list.example/search', label: 'Check the list' }]);
    const known = await addList('list-c.example.com:27015', 'Submit 1 game server');
    await expect.poll(() => textOf(known)).toContain('1 sent for review');
    expect(links(known)).toEqual([]);
  });

  it('is linked to in the report of a list in German', async () => {
    const german = scene.person({ locale: 'de' });
    await scene.listing.behave({ kind: 'reset' }, 1);
    const answer = await addList('liste.example.com:27015', '1 Spielserver absenden', german);
    await expect
      .poll(() => links(answer))
      .toMatchObject([
        { url: 'https://list.example/search?q=liste.example.com%3A27015', label: 'In der Liste nachsehen' },
      ]);
  });

  it('relays what it says word for word; what is known stands in the reader’s language before it', async () => {
    const german = scene.person({ locale: 'de' });
    expect(textOf(await add('bekannt.example.com:27015', german))).toContain(
      'Die Spielserver wurden zur Prüfung hinzugefügt. („Servers have been added for review.“)',
    );
    await scene.listing.behave(
      { kind: 'json', status: 200, body: { status: 'error', message: 'No luck.' } },
      1,
    );
    const other = textOf(await add('unbekannt.example.com:27015', german));
    expect(other).toContain('│ No luck.');
    expect(other).not.toContain('No luck. („');
  });
});
