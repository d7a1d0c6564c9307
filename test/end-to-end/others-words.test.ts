import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { SANDBOX_GAMES } from '../../sandbox/listing/games.ts';
import { chooseLogChannel, logLines } from '../support/guild-log.ts';
import { rendered } from '../support/rendered.ts';
import {
  type AppSceneOptions,
  messageOf,
  modalOf,
  openAppScene,
  type Scene,
  textOf,
} from '../support/scene.ts';

let scene: Scene;
async function open(options: AppSceneOptions = {}): Promise<void> {
  scene = await openAppScene({ key: 'sandbox-key', ...options });
}
afterEach(() => scene.close());

const MASKED = '[a] [Staff login](https://evil.example/x)';
/** What our own sentences have in them. */
const OURS = [
  'strong',
  'inlineCode',
  'blockQuote',
  'slashCommand',
  'user',
  'channel',
  'timestamp',
  'subtext',
  'list',
];

/** Kinds of markup in all that the bot has sent to Discord and that is not ours. */
function foreign(): readonly string[] {
  const texts = scene.discord.requests
    .filter(({ path }) => /\/(?:callback|messages|webhooks)/.test(path))
    .flatMap(({ body }) => textsOf(json(body)));
  expect(texts.length).toBeGreaterThan(0);
  return texts.flatMap((text) => rendered(text).active.filter((kind) => !OURS.includes(kind)));
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A form with files: the message is its part in JSON.
    return JSON.parse(/^\{.*\}\r?$/mu.exec(body)?.[0] ?? '{}');
  }
}

/** Everything that Discord renders markup in. */
function textsOf(body: unknown): string[] {
  if (Array.isArray(body)) return body.flatMap(textsOf);
  return Object.entries(Object(body)).flatMap(([name, value]) =>
    typeof value === 'string' && ['content', 'title', 'description', 'name', 'value'].includes(name)
      ? [value]
      : typeof value === 'object' && name !== 'components'
        ? textsOf(value)
        : [],
  );
}

const press = async (answer: Answer, button: string, who = scene.admin) =>
  who.press(messageOf(answer), button);
const submit = async (game: string, server: string) =>
  textOf(await scene.member.slash('addserver', { game, server }));

describe('the names of games', () => {
  const names = [
    MASKED,
    '🎮'.repeat(100),
    '👨‍👩‍👧'.repeat(20),
    '# discord.gg/evil @everyone <@123456789012345678> `x` **b** ||s|| :smile: -# 1.',
    '\u202eReversed\u2066 <id:browse> <t:1:R>',
    '` `` ``` \\',
    '['.repeat(100),
  ];
  const hostile = names.map((name, index) => ({ name, alias: `evil${index}` }));
  const games = [...SANDBOX_GAMES, ...hostile, { name: 'Backtick', alias: 'a`b' }];

  it('act nowhere, and keep nothing from being answered', async () => {
    await open({ listing: { games } });
    const { admin, member } = scene;
    await chooseLogChannel(scene);
    await press(await admin.slash('settings'), 'Announce submissions');

    let page = await member.slash('games');
    expect(textOf(page)).toContain('60');
    for (;;) {
      if (!textOf(page).includes('[ Next ]')) break;
      page = await press(page, 'Next', member);
    }
    expect(textOf(await member.slash('games', { search: '🎮'.repeat(60) }))).toContain('🎮'.repeat(30));
    expect(await member.complete('addserver', 'game', { game: '🎮' })).not.toBe('lost');

    for (const [index, { name, alias }] of hostile.entries()) {
      const said = await submit(alias, `play${index}.example.com:27015`);
      expect(said).toContain('Servers have been added for review.');
      expect(await submit(`${name.slice(0, 8)}zzz`, 'x.example.com:1')).toMatch(/not a game|needs|added/);
    }
    await expect.poll(() => logLines(scene).length).toBeGreaterThanOrEqual(hostile.length);

    let choose = await press(await admin.slash('settings'), 'Games …');
    for (let number = 1; number <= 3; number++) {
      expect(JSON.stringify(messageOf(choose).current?.components)).toContain(`page ${number} of 3`);
      if (number < 3) choose = await press(choose, 'Next');
    }
    expect(
      textOf(
        await admin.pick(
          messageOf(choose),
          hostile.map(({ alias }) => alias),
        ),
      ),
    ).toContain('7 games');
    expect(textOf(await admin.slash('settings'))).toMatch(/Games: only .* and 6 more/);

    const paste = modalOf(await member.slash('addservers'));
    const preview = await member.submit(paste, {
      servers: 'a.example.com:1\nb.example.com:2 `[x](https://evil.example)',
      game: MASKED.slice(0, 20),
    });
    expect(textOf(preview)).toContain('1 line is refused');
    // All that this Discord server allows are in the select.
    expect(JSON.stringify(messageOf(preview).current?.components)).not.toContain('Another game');
    const chosen = await member.pick(messageOf(preview), [hostile[0]?.alias ?? '']);
    expect(textOf(chosen)).toContain('1 game server is ready');
    expect(foreign()).toEqual([]);
  });
});

describe('the service’s words', () => {
  it.each([
    [MASKED, 'success'],
    ['discord.gg/evil \u202e# x\n# big\n-# small\n> q\n- a\n1. b `open **bold ||s|| @everyone', 'error'],
  ])('act neither in the reply nor in the log nor in what is shown of the key: %j', async (message, status) => {
    await open();
    const { admin, member } = scene;
    await chooseLogChannel(scene);
    await press(await admin.slash('settings'), 'Announce submissions');
    const before = logLines(scene).length;
    await scene.listing.behave({ kind: 'json', status: 200, body: { status, message } });
    const words = message.replace(/\s+/g, ' ').replace('\u202e', '');
    expect(await submit('cs2', 'play.example.com:1')).toContain(words);
    const paste = modalOf(await member.slash('addservers'));
    const preview = await member.submit(paste, { servers: 'a.example.com:1 cs2\nb.example.com:2 rust' });
    const report = await press(preview, 'Submit 2 game servers', member);
    await expect.poll(() => textOf(report)).toContain(words);
    await press(await admin.slash('keystatus'), 'Check now');
    await admin.slash('submissions');
    await expect.poll(() => logLines(scene).length).toBeGreaterThan(before);
    expect(foreign()).toEqual([]);
  });
});

describe('a game that is typed while the list of games is unknown', () => {
  it('is sent when it may be an alias, and refused when it cannot be one', async () => {
    let isFirst = true;
    await open({
      env: { GAMES_TTL_SECONDS: '1' },
      listing: {
        onRequest: (_count, { action }) => {
          if (action !== 'games') return undefined;
          const mode = isFirst ? undefined : ({ kind: 'html' } as const);
          isFirst = false;
          return mode;
        },
      },
    });
    const list = async () => textOf(await scene.member.slash('games'));
    await expect.poll(list).toContain('could not be read yet');
    await chooseLogChannel(scene);
    await press(await scene.admin.slash('settings'), 'Announce submissions');

    const sent = () => scene.listing.requests.filter(({ action }) => action === 'add');
    await submit('new-game_2.0', 'play.example.com:1');
    expect(sent().map(({ servers }) => servers)).toMatchObject([[{ game: 'new-game_2.0' }]]);
    for (const game of [MASKED, 'New Game', 'ü', 'a'.repeat(51), 'a`b', '🎮', 'a/b']) {
      const said = await submit(game, 'play.example.com:1');
      expect(said).toContain('is not a game that the bot knows');
      expect(said).toContain('1 to 50 letters');
    }
    expect(sent().length).toBe(1);
    expect(foreign()).toEqual([]);
  });
});
