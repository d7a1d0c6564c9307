import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DiscordStandIn } from '../../sandbox/discord/contract.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { lastWords } from '../support/bot-in-process.ts';
import { runFile } from '../support/program.ts';
import { openAppScene, openScene, textOf } from '../support/scene.ts';

const TOKEN = 'MTExMTExMTExMTExMTExMTEx.Operat.a-token-of-the-operator-tests-1234567';

let folder: string;
let discord: DiscordStandIn;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'operator-'));
  discord = await startDiscord({ token: TOKEN });
});
afterAll(async () => {
  await discord.close();
  await rm(folder, { recursive: true });
});

/** Starts the bot as an operator does and waits for it to end by itself. */
const runBot = (env: Readonly<Record<string, string>>) => runFile(['src/start.js'], { cwd: folder, env });

const working = (name: string): Readonly<Record<string, string>> => ({
  DISCORD_TOKEN: TOKEN,
  DISCORD_API_URL: discord.apiUrl,
  LISTING_API_URL: 'http://127.0.0.1:9',
  STORE_URL: `sqlite://${join(folder, name)}/bot.sqlite`,
});

const oneLine = /^server-listing-bot: [^\n]+\n$/;

describe('starting the bot', () => {
  it('names every bad variable in one message, and repeats no value', async () => {
    const { status, stderr, stdout } = await runBot({
      DISCORD_TOKEN: 'hunter2-is-no-token',
      LISTING_API_URL: 'http://listing.example.com',
      ENCRYPTION_KEY: 'too-short-secret',
      GAMES_TTL_SECONDS: 'soon',
    });
    expect(status).toBe(1);
    for (const name of ['DISCORD_TOKEN', 'LISTING_API_URL', 'ENCRYPTION_KEY', 'GAMES_TTL_SECONDS']) {
      expect(stderr).toContain(name);
    }
    expect(`${stdout}${stderr}`).not.toMatch(/hunter2|too-short|\n\s+at /);
  });

  it('says in one line that Discord does not accept the token, here read from a file, without showing it', async () => {
    const token = TOKEN.replace('Operat', 'Wrongx');
    await writeFile(join(folder, 'token'), `${token}\n`);
    const { DISCORD_TOKEN: _, ...rest } = working('wrong-token');
    const { status, stderr, stdout } = await runBot({ ...rest, DISCORD_TOKEN_FILE: join(folder, 'token') });
    expect(status).toBe(1);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toMatch(/Discord does not accept DISCORD_TOKEN/);
    expect(`${stdout}${stderr}`).not.toContain(token);
  });

  it('says that Discord cannot be reached', async () => {
    const said = await lastWords({ ...working('offline'), DISCORD_API_URL: 'http://127.0.0.1:9/api' });
    expect(said).toMatch(/Could not log in to Discord: .*ECONNREFUSED/);
  });

  it('says that the store cannot be written, and where', async () => {
    await writeFile(join(folder, 'a-file'), '');
    const said = await lastWords({ ...working('x'), STORE_URL: `sqlite://${folder}/a-file/bot.sqlite` });
    expect(said).toMatch(oneLine);
    expect(said).toContain(join(folder, 'a-file'));
  });
});

describe('the encryption key', () => {
  it('is refused when the data was written with another one, and nothing is deleted', async () => {
    const data = await mkdtemp(join(folder, 'data-'));
    const env = { ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const first = await openAppScene({ data, key: 'sandbox-key', env });
    await first.close();

    const said = await lastWords({
      ...working('unused'),
      STORE_URL: `sqlite://${data}/bot.sqlite`,
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    });
    expect(said).toMatch(oneLine);
    expect(said).toMatch(/encrypted with another key.*Nothing was changed/);

    const database = new DatabaseSync(join(data, 'bot.sqlite'), { readOnly: true });
    const keys = database.prepare("SELECT key FROM keyv WHERE key LIKE 'api-key:%'").all();
    database.close();
    expect(keys).toHaveLength(1);
  });

  it('is made once beside the database, and the log says where', async () => {
    const scene = await openAppScene({ key: 'sandbox-key' });
    expect(scene.output()).toContain(join(scene.data, 'bot.sqlite.key'));
    await scene.restart();
    expect(scene.output().match(/made an encryption key/g)).toHaveLength(1);
    const said = textOf(await scene.member.slash('addserver', { game: 'cs2', server: 'play.example.com:1' }));
    expect(said).toContain('Servers have been added for review.');
    await scene.close();
  });
});

describe('publishing the commands', () => {
  it('happens once, and again only when something differs', async () => {
    const scene = await openAppScene();
    const puts = () =>
      scene.discord.requests.filter(({ method, path }) => method === 'PUT' && path.includes('/commands'));
    expect(puts()).toHaveLength(1);
    await scene.restart();
    expect(puts()).toHaveLength(1);
    await scene.close();
  });
});

describe('stopping the bot', () => {
  it('lets a running command end, takes no new one, and exits with status 0', async () => {
    const scene = await openScene({ key: 'sandbox-key' });
    const { promise: until, resolve: answer } = Promise.withResolvers<void>();
    await scene.listing.behave({ kind: 'held', until });
    const running = scene.member.slash('addserver', { game: 'cs2', server: 'play.example.com:1' });
    await expect.poll(() => scene.listing.requests.filter(({ action }) => action === 'add')).toHaveLength(1);
    const stopped = scene.bot.stop('SIGTERM');
    await expect.poll(() => scene.output()).toContain('"stopping"');
    expect(textOf(await scene.admin.slash('games'))).toContain('The bot is restarting');
    answer();
    expect(textOf(await running)).toContain('Servers have been added for review.');
    expect(await stopped).toMatchObject({ status: 0 });
    await scene.close();
  });
});
