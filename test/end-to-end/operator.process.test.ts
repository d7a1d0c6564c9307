import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OVER_HTTP, openScene, type Scene, setKey, textOf } from '../support/bot.ts';
import { isOnPostgres } from '../support/database.ts';
import { runFile } from '../support/machine.ts';
import { ACCEPTED, addServer, csvOf, lines, pressSubmit, sendFile } from '../support/people.ts';

it('a bot that cannot start names every bad variable in one message, and repeats no value', async () => {
  const { status, stderr, stdout } = await runFile(['src/start.js'], {
    cwd: tmpdir(),
    env: {
      DISCORD_TOKEN: 'hunter2-is-no-token',
      LISTING_API_URL: 'http://listing.example.com',
      ENCRYPTION_KEY: 'too-short-secret',
      GAMES_TTL_SECONDS: 'soon',
    },
  });
  expect(status).toBe(1);
  for (const name of ['DISCORD_TOKEN', 'LISTING_API_URL', 'ENCRYPTION_KEY', 'GAMES_TTL_SECONDS'])
    expect(stderr).toContain(name);
  expect(`${stdout}${stderr}`).not.toMatch(/hunter2|too-short|\n\s+at /);
});

describe('an operator runs the bot, over TLS, with HTTP/2 on offer:', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({
      tls: true,
      env: { DEPARTURE_CHECK_SECONDS: '1', LISTING_API_TIMEOUT_MS: '60000' },
    });
  });
  afterAll(() => scene.close());

  it('the start says what it runs with, and publishes the commands, a second start does not', async () => {
    const ready = () =>
      scene.log().filter(({ msg, listing }) => msg === 'ready' && listing === scene.listing.url);
    await expect.poll(ready).toHaveLength(1);
    if (!isOnPostgres) expect(scene.output()).toContain(join(scene.data, 'bot.sqlite.key'));
    await scene.restart();
    const puts = scene.discord.requests.filter(
      ({ method, path }) => method === 'PUT' && path.includes('/commands'),
    );
    expect(puts).toHaveLength(1);
    expect(scene.output().split('made an encryption key')).toHaveLength(isOnPostgres ? 1 : 2);
  });

  it('members submit one server, a file and a message, and get a file back', async () => {
    const { member } = scene;
    expect(textOf(await setKey(scene.admin, 'sandbox-key'))).toContain('works and is saved');
    expect(textOf(await member.slash('games'))).toContain('From the listing service, updated');
    expect(textOf(await addServer(member, 'tls.example.com:27015'))).toContain(ACCEPTED);
    const report = await pressSubmit(
      member,
      await sendFile(member, `${lines(150)}\nwrong.example.com:70000 cs2`),
    );
    expect(textOf(report)).toContain('✅ 150 sent for review');
    expect(csvOf(report, 'report.csv').length).toBe(151);
    const id = scene.discord.say(scene.admin, 'play at message.example.com:27015');
    const chosen = await member.pick(await member.useOnMessage('Submit servers', id), ['cs2']);
    expect(textOf(await pressSubmit(member, chosen))).toContain('✅ 1 sent for review');
    expect(scene.listing.submitted).toHaveLength(152);
  });

  it('every request was made over HTTP/1.1', async () => {
    const requests = [...scene.discord.requests, ...scene.listing.requests];
    const files = scene.discord.requests.filter(({ path }) => path.startsWith('/ephemeral-attachments/'));
    expect(files).toMatchObject([{ method: 'GET', status: 200 }]);
    expect([...new Set(requests.map(({ httpVersion }) => httpVersion))]).toEqual(['1.1']);
    // Which says something only where both would have taken HTTP/2.
    for (const url of [scene.discord.apiUrl, scene.listing.url]) {
      const session = connect(url, { rejectUnauthorized: false });
      await once(session, 'connect');
      assert.equal(session.alpnProtocol, 'h2');
      session.destroy();
    }
  });

  it.each([
    'SIGINT',
    'SIGHUP',
    'SIGTERM',
  ] as const)('%s lets a running command end, takes no new one, waits for no job before, and exits with status 0', async (signal) => {
    if (!scene.bot.running) await scene.startBot();
    const lists = () =>
      scene.discord.requests.filter(({ path }) => path.includes('/users/@me/guilds')).length;
    const listed = lists();
    scene.discord.faults.inject({ fault: { kind: 'hang' }, path: /\/users\/@me\/guilds/, times: 9 });
    await expect.poll(lists).toBeGreaterThan(listed);
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    await scene.listing.behave({ kind: 'held', until }, 1);
    const before = scene.listing.requests.length;
    const running = addServer(scene.member, `${signal}.example.com:1`);
    await expect.poll(() => scene.listing.requests.length).toBe(before + 1);
    const printed = scene.output().length;
    // As npm does with Ctrl-C.
    process.kill(Number(scene.bot.pid), signal);
    const stopped = scene.bot.stop(signal);
    await expect.poll(() => scene.output().slice(printed)).toContain('"stopping"');
    const late = await scene.admin.slash('games');
    // Over HTTP a load balancer finds nobody here, and sends it to another process.
    expect(OVER_HTTP ? late.kind : textOf(late)).toContain(OVER_HTTP ? 'lost' : 'The bot is restarting');
    goOn();
    expect(textOf(await running)).toContain(ACCEPTED);
    expect(await stopped).toMatchObject({ status: 0 });
    scene.discord.faults.clear();
  });

  it('a request without an answer keeps a stop waiting for some seconds only, and the stop is a clean one', async () => {
    await scene.startBot();
    await scene.listing.behave({ kind: 'hang' }, 1);
    const before = scene.listing.requests.length;
    void addServer(scene.member, 'unanswered.example.com:1');
    await expect.poll(() => scene.listing.requests.length).toBe(before + 1);
    expect(await scene.bot.stop()).toMatchObject({ status: 0, signal: null });
  });

  it('a second signal ends the bot at once where it comes later', async () => {
    await scene.startBot();
    await scene.listing.behave({ kind: 'hang' }, 1);
    const before = scene.listing.requests.length;
    void addServer(scene.member, 'second.example.com:1');
    await expect.poll(() => scene.listing.requests.length).toBe(before + 1);
    const stopped = scene.bot.stop('SIGTERM');
    const again = () => {
      if (scene.bot.running) process.kill(Number(scene.bot.pid), 'SIGTERM');
      return scene.bot.running;
    };
    await expect.poll(again, { timeout: 5_000 }).toBe(false);
    expect(await stopped).toMatchObject({ status: 1 });
  });
});

it('a bot of which a part never ends is ended all the same, with status 1', async () => {
  const preload = new URL('../faults/preloads/endless-stop.ts', import.meta.url);
  const scene = await openScene({ env: { NODE_OPTIONS: `--import=${preload}` } });
  await expect(scene.close()).rejects.toMatchObject({
    actual: { status: 1, signal: null },
  });
});
