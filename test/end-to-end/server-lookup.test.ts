import { createHook } from 'node:async_hooks';
import { describe, expect } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { approve, turnApprovalOn } from '../support/approval.ts';
import { type Bot, botTest, ownBotTest, type TestGuild, textOf } from '../support/bot.ts';
import { sampleOf, scrape } from '../support/machine.ts';
import { addServer, adds, edit, labelsOf, paste, pressSubmit, upload } from '../support/people.ts';

const HTTP_PORT = await quietPort();
const it = botTest({ serverLookup: true, env: { HTTP_PORT: String(HTTP_PORT) } });
const itWithout = ownBotTest();

const RUST = 252_490;
const FOUND = 'Query port from Steam.';

/** Adds game servers to Steam's list. Every test uses a different address. */
function listRust({ records }: Bot, address: string): void {
  records.list(address, [
    { port: 28_015, queryPort: 28_017, appId: RUST },
    { port: 28_025, queryPort: 28_027, appId: RUST },
  ]);
}

const submit = (guild: TestGuild, server: string, game = 'rust') => addServer(guild.member, server, { game });

/** The types of asynchronous resources that send a lookup's packets. */
const LOOKUPS = new Set(['DNSCHANNEL', 'QUERYWRAP', 'UDPWRAP', 'GETADDRINFOREQWRAP']);

/** Runs an action and returns the number of network resources it created. */
async function lookupsDuring(action: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_, type) {
      if (LOOKUPS.has(type)) count += 1;
    },
  }).enable();
  await action();
  hook.disable();
  return count;
}

const MESSAGE = 'Minecraft: none.example.com and Rust: steam.example.com:28015';

/** Submits a game server, a list, and a message with game servers. The lookup would query all of them. */
async function submitAll(guild: TestGuild): Promise<void> {
  await submit(guild, 'play.example.com:28015');
  await submit(guild, 'mc.example.com', 'minecraft');
  await paste(guild.member, '93.184.216.1:28015 rust\n93.184.216.1:28025');
  await guild.member.useOnMessage('Submit servers', guild.discord.say(guild.member, MESSAGE));
}

describe('the server lookup', () => {
  it('fills in a missing query port and mentions it in the reply', async ({ bot, guild }) => {
    listRust(bot, '93.184.216.34');
    const answer = await submit(guild, '93.184.216.34:28015');
    expect(textOf(answer)).toContain('93.184.216.34:28015 · query port 28017');
    expect(textOf(answer)).toContain(FOUND);
    expect(adds(guild).at(-1)?.servers).toEqual([
      { server: '93.184.216.34', port: '28015', query_port: '28017', game: 'rust' },
    ]);
  });

  it('fills in the port for a Minecraft host name', async ({ bot, guild }) => {
    bot.records.addName('mc.example.com', { addresses: ['93.184.216.35'] });
    const answer = await submit(guild, 'mc.example.com', 'minecraft');
    expect(textOf(answer)).toContain('Port from DNS.');
    expect(adds(guild).at(-1)?.servers).toEqual([
      { server: 'mc.example.com', port: '25565', game: 'minecraft' },
    ]);
  });

  it('fills in missing values in a list, even after an edit', async ({ bot, guild }) => {
    listRust(bot, '93.184.216.36');
    const preview = await paste(
      guild.member,
      '93.184.216.36:28015 rust\n93.184.216.36:28025\n93.184.216.36:nonsense rust',
    );
    expect(textOf(preview)).toContain('Game from Steam. 2 query ports from Steam.');
    const edited = await edit(guild.member, preview, { servers: '3: 93.184.216.36:28017 rust' });
    expect(textOf(edited)).toContain('Steam lists that port as the query port.');
    const report = await pressSubmit(guild.member, edited);
    expect(textOf(report)).toContain('2 query ports from Steam.');
    expect(adds(guild).at(-1)?.servers).toEqual([
      { server: '93.184.216.36', port: '28015', query_port: '28017', game: 'rust' },
      { server: '93.184.216.36', port: '28025', query_port: '28027', game: 'rust' },
      { server: '93.184.216.36', port: '28017', game: 'rust' },
    ]);
  });

  it('adds a note to the report only for submitted lines', async ({ bot, guild }) => {
    const other = guild.person({ role: 'other' });
    listRust(bot, '93.184.216.44');
    const list = '93.184.216.44:28015\n93.184.216.44:28025 rust';
    await submit(guild, '93.184.216.44:28015');
    const preview = await paste(other, list);
    expect(textOf(preview)).toContain('Game from Steam. 2 query ports from Steam.');
    const report = textOf(await pressSubmit(other, preview));
    expect(report).toContain(FOUND);
    expect(report).not.toContain('Game from Steam.');
    await turnApprovalOn(guild);
    const waiting = await pressSubmit(other, await paste(other, `${list}\n93.184.216.44:1 rust`));
    expect(textOf(waiting)).toContain('Waiting for a moderator');
    expect(textOf(waiting)).not.toContain('from Steam');
  });

  it('fills in missing query ports once the member has selected a game', async ({ bot, guild }) => {
    listRust(bot, '93.184.216.39');
    bot.records.list('93.184.216.40', [
      { port: 27_015, queryPort: 27_020, appId: 730 },
      { port: 27_016, queryPort: 27_021, appId: 730 },
    ]);
    const preview = await paste(
      guild.member,
      '93.184.216.40:27015\n93.184.216.40:27016\n93.184.216.39:28015',
    );
    expect(textOf(preview)).toContain('Game from Steam. Query port from Steam.');
    const chosen = await guild.member.pick(preview, ['cs2']);
    expect(textOf(chosen)).toContain('Game from Steam. 3 query ports from Steam.');
    await pressSubmit(guild.member, chosen);
    expect(adds(guild).at(-1)?.servers).toEqual([
      { server: '93.184.216.40', port: '27015', query_port: '27020', game: 'cs2' },
      { server: '93.184.216.40', port: '27016', query_port: '27021', game: 'cs2' },
      { server: '93.184.216.39', port: '28015', query_port: '28017', game: 'rust' },
    ]);
  });

  it('adds a note to the reply while the submission is waiting for a moderator', async ({ bot, guild }) => {
    listRust(bot, '93.184.216.41');
    await turnApprovalOn(guild);
    const answer = await submit(guild, '93.184.216.41:28015');
    expect(textOf(answer)).toContain('Waiting for a moderator');
    expect(textOf(answer)).toContain('93.184.216.41:28015 · query port 28017');
    expect(textOf(answer)).toContain(FOUND);
    await approve(guild);
    await expect
      .poll(() => adds(guild).at(-1)?.servers)
      .toEqual([{ server: '93.184.216.41', port: '28015', query_port: '28017', game: 'rust' }]);
  });

  it("fills in missing values for servers in a message's text and attachment", async ({ bot, guild }) => {
    listRust(bot, '93.184.216.42');
    const file = upload('message.txt', '93.184.216.42:28025 rust');
    const message = guild.discord.say(guild.member, 'Join 93.184.216.42:28015', file);
    const preview = await guild.member.useOnMessage('Submit servers', message);
    expect(textOf(preview)).toContain('Game from Steam. 2 query ports from Steam.');
  });

  it('fills in a missing game and query port for a server in a message', async ({ bot, guild }) => {
    listRust(bot, '93.184.216.37');
    const message = guild.discord.say(guild.member, 'Join us: 93.184.216.37:28025!');
    const preview = await guild.member.useOnMessage('Submit servers', message);
    expect(textOf(preview)).toContain(FOUND);
    await pressSubmit(guild.member, preview);
    expect(adds(guild).at(-1)?.servers).toEqual([
      { server: '93.184.216.37', port: '28025', query_port: '28027', game: 'rust' },
    ]);
  });

  it('leaves servers unchanged if Steam and the name server fail', async ({ bot, guild }) => {
    bot.records.behaveAsSteam({ kind: 'html' });
    bot.records.behaveAsNameServer('failing');
    const answer = await submit(guild, '93.184.216.38:28015');
    expect(textOf(answer)).not.toContain('Steam');
    expect(adds(guild).at(-1)?.servers).toEqual([{ server: '93.184.216.38', port: '28015', game: 'rust' }]);
    const refused = await submit(guild, 'down.example.com', 'minecraft');
    expect(labelsOf(refused)).toContain('Submit with port 25565');
    bot.records.behaveAsSteam({ kind: 'ok' });
    bot.records.behaveAsNameServer('ok');
  });

  it('reports its requests and results in the metrics', async ({ bot, guild }) => {
    listRust(bot, '93.184.216.43');
    const counts = async () => {
      const samples = await scrape(HTTP_PORT);
      return ['asked', 'queryPort', 'failed'].map(
        (what) => sampleOf(samples, 'listing_bot_server_lookups_total', `{what="${what}"}`) ?? 0,
      );
    };
    const [asked = 0, found = 0, failed] = await counts();
    await submit(guild, '93.184.216.43:28015');
    expect(await counts()).toEqual([asked + 1, found + 1, failed]);
  });

  it('sends requests to Steam', async ({ bot, guild }) => {
    listRust(bot, '93.184.216.1');
    const asked = bot.records.askedSteam.length;
    expect(await lookupsDuring(() => submitAll(guild))).toBeGreaterThan(0);
    expect(bot.records.askedSteam.length).toBeGreaterThan(asked);
  });
});

it('/privacy mentions the server lookup', async ({ member }) => {
  expect(textOf(await member.slash('privacy'))).toContain("game servers' addresses to Steam");
});

describe('without SERVER_LOOKUP', () => {
  itWithout("the bot doesn't send any lookup requests", async ({ bot, guild }) => {
    expect(await lookupsDuring(() => submitAll(guild))).toBe(0);
    expect([...bot.records.askedSteam, ...bot.records.askedNames]).toEqual([]);
    expect(textOf(await guild.member.slash('privacy'))).not.toContain('Steam');
  });
});
