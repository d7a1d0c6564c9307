import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { botTest, OVER_HTTP, oneBot, openBot, textOf } from '../support/bot.ts';
import { isOnPostgres } from '../support/database.ts';
import { folder, runFile } from '../support/machine.ts';
import { ACCEPTED, addServer, adds, csvOf, lines, pressSubmit, sendFile } from '../support/people.ts';

/** EX_CONFIG in sysexits.h. The systemd unit doesn't restart the bot after this exit status. */
const UNUSABLE = 78;

const it = botTest({
  asProcess: true,
  tls: true,
  env: { DEPARTURE_CHECK_SECONDS: '1', DEPARTURE_GRACE_DAYS: '0', LISTING_API_TIMEOUT_MS: '60000' },
});

it('the startup error names all invalid variables, but not their values', async () => {
  const { status, stderr, stdout } = await runFile(['src/start.js'], {
    cwd: tmpdir(),
    env: {
      DISCORD_TOKEN: 'hunter2-is-no-token',
      LISTING_API_URL: 'http://listing.example.com',
      ENCRYPTION_KEY: 'too-short-secret',
      GAMES_TTL_SECONDS: 'soon',
    },
  });
  expect(status).toBe(UNUSABLE);
  for (const name of ['DISCORD_TOKEN', 'LISTING_API_URL', 'ENCRYPTION_KEY', 'GAMES_TTL_SECONDS'])
    expect(stderr).toContain(name);
  expect(`${stdout}${stderr}`).not.toMatch(/hunter2|too-short|\n\s+at /);
});

it('the bot prints a one-line error and exits if Discord rejects its token', async () => {
  const { discord, listing, mayBreak } = await oneBot({ start: false, http: false });
  mayBreak('401: Unauthorized', 9);
  const { status, stderr, stdout } = await runFile(['src/start.js'], {
    env: {
      DISCORD_TOKEN: 'MTIzNDU2.GaBcDe.another-one-than-the-stand-ins',
      DISCORD_API_URL: discord.apiUrl,
      LISTING_API_URL: listing.url,
      STORE_URL: `sqlite://${folder()}/bot.sqlite`,
    },
  });
  expect(status).toBe(UNUSABLE);
  expect(stderr).toMatch(/^server-listing-bot: Discord rejects DISCORD_TOKEN: create a new one: .*\n$/);
  const [first, ...others] = stdout.trim().split('\n');
  expect(first).toMatch(/"msg":"starting server-listing-bot \d+\.\d+\.\d+"/);
  expect(
    others.filter((line) => !line.includes('"level":"info"') && !line.includes('created an encryption key')),
  ).toEqual([]);
});

it('in a container, the bot explains an invalid configuration and waits before it exits', async () => {
  const ended = runFile(['src/start.js', '--started-again'], {
    cwd: tmpdir(),
    env: {},
    onStart: (child) => {
      child.stderr?.on('data', (text) => {
        if (String(text).includes('will exit in 10 minutes')) child.kill('SIGTERM');
      });
    },
  });
  expect(await ended).toMatchObject({
    status: UNUSABLE,
    stderr: expect.stringMatching(/DISCORD_TOKEN is missing[\s\S]*will exit in 10 minutes/),
  });
});

describe('the bot process', () => {
  it('registers its commands only once, even after a restart', async ({ bot, listing, discord }) => {
    const ready = () => bot.log().filter((entry) => entry.msg === 'ready' && entry.listing === listing.url);
    await expect.poll(ready).not.toEqual([]);
    if (!isOnPostgres) expect(bot.output()).toContain(join(bot.data, 'bot.sqlite.key'));
    await bot.restart();
    const puts = discord.requests.filter(
      ({ method, path }) => method === 'PUT' && path.includes('/commands'),
    );
    expect(puts).toHaveLength(1);
    expect(bot.output().split('created an encryption key')).toHaveLength(isOnPostgres ? 1 : 2);
  });

  it('uses HTTP/1.1 even if Discord and the service support HTTP/2', async ({ member, discord, listing }) => {
    expect(textOf(await member.slash('games'))).toContain('From the listing service, updated');
    expect(textOf(await addServer(member, 'tls.example.com:27015'))).toContain(ACCEPTED);
    const list = await sendFile(member, `${lines(150)}\nwrong.example.com:70000 cs2`);
    const report = await pressSubmit(member, list);
    expect(textOf(report)).toContain('✅ 150 sent for review');
    expect(csvOf(report, 'report.csv').length).toBe(151);
    const id = discord.say(member, 'message.example.com:27015');
    const chosen = await member.pick(await member.useOnMessage('Submit servers', id), ['game:cs2']);
    expect(textOf(await pressSubmit(member, chosen))).toContain(ACCEPTED);
    expect(listing.submitted).toHaveLength(152);

    const requests = [...discord.requests, ...listing.requests];
    const files = discord.requests.filter(({ path }) => path.startsWith('/ephemeral-attachments/'));
    expect(files).toMatchObject([{ method: 'GET', status: 200 }]);
    expect([...new Set(requests.map(({ httpVersion }) => httpVersion))]).toEqual(['1.1']);
    // Both servers would have accepted HTTP/2.
    for (const url of [discord.apiUrl, listing.url]) {
      const session = connect(url, { rejectUnauthorized: false });
      await once(session, 'connect');
      assert.equal(session.alpnProtocol, 'h2');
      session.destroy();
    }
  });

  it.for([
    'SIGINT',
    'SIGHUP',
    'SIGTERM',
  ] as const)('finishes commands in progress after %s and exits with status 0', async (signal, {
    bot,
    guild,
    admin,
    member,
    discord,
    listing,
  }) => {
    const questions = () => discord.requests.filter(({ path }) => /\/guilds\/\d+$/.test(path)).length;
    const asked = questions();
    discord.faults.inject({ fault: { kind: 'hang' }, path: /^\/guilds\/\d+$/, times: 9 });
    await expect.poll(questions).toBeGreaterThan(asked);
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    await listing.behave({ kind: 'held', until }, 1);
    const running = addServer(member, 'running.example.com:1');
    await expect.poll(() => adds(guild)).toHaveLength(1);
    const printed = bot.output().length;
    // On Ctrl+C, a process that was started by npm receives the signal twice.
    process.kill(Number(bot.process.pid), signal);
    const stopped = bot.process.stop(signal);
    await expect.poll(() => bot.output().slice(printed)).toContain('"stopping"');
    const late = await admin.slash('games');
    // With HTTP, the port is closed, so a load balancer would use another process.
    expect(OVER_HTTP ? late.kind : textOf(late)).toContain(OVER_HTTP ? 'lost' : 'The bot is restarting');
    goOn();
    expect(textOf(await running)).toContain(ACCEPTED);
    expect(await stopped).toMatchObject({ status: 0 });
  });

  it('stops within seconds, even if a request never gets a response', async ({
    bot,
    guild,
    member,
    listing,
  }) => {
    await listing.behave({ kind: 'hang' }, 1);
    void addServer(member, 'unanswered.example.com:1');
    await expect.poll(() => adds(guild)).toHaveLength(1);
    expect(await bot.process.stop()).toMatchObject({ status: 0, signal: null });
  });

  it('stops immediately on a second signal', async ({ bot, guild, member, listing }) => {
    await listing.behave({ kind: 'hang' }, 1);
    void addServer(member, 'second.example.com:1');
    await expect.poll(() => adds(guild)).toHaveLength(1);
    const stopped = bot.process.stop('SIGTERM');
    const again = () => {
      if (bot.process.running) process.kill(Number(bot.process.pid), 'SIGTERM');
      return bot.process.running;
    };
    await expect.poll(again).toBe(false);
    expect(await stopped).toMatchObject({ status: 1 });
  });
});

it('the bot exits with status 1 if one of its components never stops', async () => {
  const preload = new URL('../faults/preloads/endless-stop.ts', import.meta.url);
  const bot = await openBot({ asProcess: true, env: { NODE_OPTIONS: `--import=${preload}` } });
  await expect(bot.close()).rejects.toMatchObject({
    actual: { status: 1, signal: null },
  });
});
