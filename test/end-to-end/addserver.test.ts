import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../sandbox/discord/contract.ts';
import { rendered } from '../support/rendered.ts';
import { openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

let scene: Scene;
let member: Person;

beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key' });
  ({ member } = scene);
});
afterEach(() => scene.listing.behave({ kind: 'ok' }));
afterAll(() => scene.close());

type Options = Readonly<Record<string, string | number>>;
const addserver = async (options: Options, person = member) =>
  textOf(await person.slash('addserver', options));
const added = () => scene.listing.requests.filter(({ action }) => action === 'add');

describe('/addserver', () => {
  it('relays the service’s own words, with what was submitted', async () => {
    const said = await addserver({ game: 'cs2', server: 'play.example.com:27015' });
    expect(said).toContain('(only you can see this)');
    expect(said).toContain('Servers have been added for review.');
    expect(said).toContain('Counter-Strike 2 — play.example.com:27015');
    expect(scene.listing.submitted.at(-1)).toMatchObject({
      server: 'play.example.com',
      port: 27015,
      game: 'cs2',
    });
  });

  it.each<[string, Options, object]>([
    ['an IPv4 address', { server: '93.184.216.34', port: 27015 }, { server: '93.184.216.34', port: 27015 }],
    [
      'an IPv6 address with its port',
      { server: '[2606:4700::6810:84e5]:25565' },
      { server: '2606:4700::6810:84e5', port: 25565 },
    ],
    [
      'a bare IPv6 address',
      { server: '2606:4700::6810:84e5', port: 1 },
      { server: '2606:4700::6810:84e5', port: 1 },
    ],
    [
      'an international name',
      { server: 'bücher.example.com:65535' },
      { server: 'xn--bcher-kva.example.com', port: 65535 },
    ],
    [
      'the same port in both places',
      { server: 'a.example.com:7', port: 7 },
      { server: 'a.example.com', port: 7 },
    ],
    [
      'a query port that differs',
      { server: 'q.example.com:7', query_port: 8 },
      { server: 'q.example.com', port: 7, query_port: 8 },
    ],
  ])('takes %s', async (_what, options, held) => {
    expect(await addserver({ game: 'cs2', ...options })).toContain('Servers have been added for review.');
    expect(scene.listing.submitted.at(-1)).toMatchObject(held);
  });

  it('leaves out a query port that is the port', async () => {
    await addserver({ game: 'cs2', server: 'same.example.com:7', query_port: 7 });
    expect(added().at(-1)?.servers).toEqual([{ server: 'same.example.com', port: '7', game: 'cs2' }]);
  });

  it.each<[string, Options, RegExp]>([
    ['a private address', { server: '192.168.0.4:27015' }, /192\.168\.0\.4 is a private address/],
    ['a loopback address', { server: '127.0.0.1:27015' }, /loopback/],
    ['a link-local IPv6 address', { server: '[fe80::1]:27015' }, /link-local/],
    ['localhost', { server: 'localhost:27015' }, /cannot be reached from the internet/],
    ['a port above the highest', { server: 'a.example.com:70000' }, /Port 70000 is above 65535/],
    [
      'two ports that differ',
      { server: 'a.example.com:7', port: 8 },
      /The address says port 7, the port option says 8/,
    ],
    ['a missing port', { server: 'a.example.com' }, /usually have 27015: if yours does, press “Use 27015”/],
    ['no address at all', { server: 'our cool server' }, /does not look like an address/],
    ['a web page', { server: 'https://example.com/join' }, /address of a web page/],
    ['markup and pings', { server: '@everyone **x** `y`' }, /does not look like an address/],
  ])('refuses %s with the reason, and sends nothing', async (_what, options, reason) => {
    const before = added().length;
    expect(await addserver({ game: 'cs2', ...options })).toMatch(reason);
    expect(added()).toHaveLength(before);
  });

  it('takes a game by its name as well, whatever its case', async () => {
    await addserver({ game: 'counter-strike 2', server: 'n.example.com:1' });
    expect(scene.listing.submitted.at(-1)).toMatchObject({ game: 'cs2' });
  });

  it('says that a game is unknown while the list is fresh, and offers the nearest ones', async () => {
    const before = scene.listing.requests.length;
    expect(await addserver({ game: 'countr-strike', server: 'a.example.com:1' })).toMatch(
      /“countr-strike” is not a game.*Did you mean Counter-Strike/s,
    );
    expect(await addserver({ game: 'zzzzzz', server: 'a.example.com:1' })).toMatch(
      /Look the game up with \/games/,
    );
    expect(scene.listing.requests).toHaveLength(before);
  });

  it('answers in the member’s language and leaves the service’s words as they are', async () => {
    const german = scene.person({ locale: 'de' });
    expect(await addserver({ game: 'cs2', server: '10.0.0.1:1' }, german)).toContain('private Adresse');
    const said = await addserver({ game: 'cs2', server: 'de.example.com:1', query_port: 2 }, german);
    expect(said).toContain('Servers have been added for review.');
    expect(said).toContain('Abfrage-Port 2');
  });

  it('relays that the key is not valid, and says who can set another', async () => {
    const body = { status: 'error', message: 'Invalid API key.' };
    await scene.listing.behave({ kind: 'json', status: 403, body }, 1);
    const said = await addserver({ game: 'cs2', server: 'invalid.example.com:1' });
    expect(said).toContain('Invalid API key.');
    expect(said).toMatch(
      /Ask an admin to renew the key: whoever has the permission “Manage Server” can do so with \/setkey/,
    );
    await setKey(scene.admin, 'sandbox-key');
  });

  it('relays each other error of the specification and says what to do next', async () => {
    const errors: readonly (readonly [string, RegExp])[] = [
      ['The server list for addition is empty.', /Please tell the bot's operator/],
      ['Server parameter is missing.', /found no address in it\. Correct it with Edit\./],
      ['Game alias parameter is missing.', /found no game in it\. Enter one with Edit\./],
      [
        'Invalid game alias provided.',
        /list of games may have changed.*Enter another game with Edit; \/games shows them all/,
      ],
    ];
    for (const [message, next] of errors) {
      await scene.listing.behave({ kind: 'json', status: 400, body: { status: 'error', message } }, 1);
      const said = await addserver({ game: 'cs2', server: `e${errors.length}.example.com:1` });
      expect(said).toContain(message);
      expect(said).toMatch(next);
    }
  });

  it('reads the games again when the service no longer knows an alias', async () => {
    const reads = () => scene.listing.requests.filter(({ action }) => action === 'games').length;
    const before = reads();
    const body = { status: 'error', message: 'Invalid game alias provided.' };
    await scene.listing.behave({ kind: 'json', status: 200, body }, 1);
    await addserver({ game: 'rust', server: 'again.example.com:1' });
    await expect.poll(reads).toBe(before + 1);
  });

  it('shows the service’s text without its markup working, and pings nobody', async () => {
    const message = '@everyone **<@123456789012345678>** [x](https://evil.example)\n# big';
    await scene.listing.behave({ kind: 'json', status: 200, body: { status: 'error', message } }, 1);
    const said = await addserver({ game: 'cs2', server: 'markup.example.com:1' });
    expect(said).toContain('@everyone **<@123456789012345678>** [x](https://evil.example) # big');
    const [sent] = scene.discord.requests.filter(({ body }) => body.includes('evil'));
    const body = JSON.parse(sent?.body ?? '{}');
    expect(body).toMatchObject({ allowed_mentions: { parse: [] } });
    expect(rendered(body.content).active).toEqual(['blockQuote']);
  });

  it('shows no masked link and no invite that the service, or whoever typed a game, puts in', async () => {
    const texts = [
      '[a] [Staff login](https://evil.example/x)',
      '[[Staff login](https://evil.example/x)](https://evil.example/x)',
      'Join discord.gg/evil-x or evil.example/x',
    ];
    for (const [index, text] of texts.entries()) {
      await scene.listing.behave(
        { kind: 'json', status: 200, body: { status: 'success', message: text } },
        1,
      );
      expect(await addserver({ game: 'cs2', server: `masked${index}.example.com:1` })).toContain(text);
      expect(await addserver({ game: text, server: 'masked.example.com:1' })).toContain(`“${text}”`);
    }
    const said = scene.discord.requests.filter(({ body }) => body.includes('evil'));
    expect(said).not.toEqual([]);
    for (const { body } of said) {
      const ours = ['strong', 'inlineCode', 'blockQuote', 'slashCommand'];
      expect(ours).toEqual(expect.arrayContaining([...rendered(JSON.parse(body).content).active]));
    }
  });

  it('fits a very long message of the service into Discord’s limits', async () => {
    const body = { status: 'error', message: '*'.repeat(5000) };
    await scene.listing.behave({ kind: 'json', status: 200, body }, 1);
    expect(await addserver({ game: 'cs2', server: 'long.example.com:1' })).toMatch(/\*{100}.*…/s);
  });

  it('completes games from memory, by name and alias', async () => {
    const before = scene.listing.requests.length;
    const choices = await member.complete('addserver', 'game', { game: 'minec' });
    expect(choices[0]).toMatchObject({ name: 'Minecraft (minecraft)', value: 'minecraft' });
    const everything = await member.complete('addserver', 'game', { game: '' });
    expect(everything).toHaveLength(25);
    expect(await member.complete('addserver', 'game', { game: '(.*[+' })).not.toBe('lost');
    expect(scene.listing.requests).toHaveLength(before);
  });
});

describe('/addserver in a guild without a key', () => {
  it('says who can set one', async () => {
    const elsewhere = scene.person({ guild: 1 });
    const said = await addserver({ game: 'cs2', server: 'a.example.com:1' }, elsewhere);
    expect(said).toMatch(/no API key.*“Manage Server”.*\/setkey/s);
  });
});
