import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { type Bot, oneBot, ownBotTest, setKey } from '../support/bot.ts';
import { folder } from '../support/machine.ts';
import { addServer, adds, deleteName, lines, paste, pressSubmit, removeKey } from '../support/people.ts';

const it = ownBotTest({ http: false });
const processIt = ownBotTest({ asProcess: true, http: false });

/** Returns the log entries with this message. */
const entriesOf = (bot: Bot, message: string | RegExp) =>
  bot.log().filter(({ msg }) => (typeof message === 'string' ? msg === message : message.test(String(msg))));

/** Waits for the log entry of the interaction that has just ended. */
async function lastInteraction(bot: Bot, about: object) {
  const last = () => entriesOf(bot, 'interaction').at(-1);
  await expect.poll(last).toMatchObject(about);
  return last() ?? {};
}

describe('the log', () => {
  it("shows each submission's guild and outcomes", async ({ bot, guild, admin, member }) => {
    const { id: guildId } = guild;
    const sent = await paste(member, lines(3));
    await lastInteraction(bot, { guildId, outcome: 'answered' });
    expect(entriesOf(bot, 'interaction').filter(({ servers }) => servers !== undefined)).toEqual([]);
    await pressSubmit(member, sent);
    await lastInteraction(bot, { guildId, servers: { accepted: 3 } });

    await bot.listing.behave({ kind: 'html' }, 1);
    await addServer(member, 'unclear.example.com:1');
    const { interactionId } = await lastInteraction(bot, { guildId, servers: { unknown: 1 } });
    expect(entriesOf(bot, /^the listing service sent no usable/)).toMatchObject([
      { level: 'warn', interactionId, guildId, action: 'add', kind: 'unknown' },
    ]);
    await bot.listing.behave({ kind: 'html' }, 1);
    await setKey(admin, 'another-key');
    const test = await lastInteraction(bot, { command: 'setkey', type: 'modal' });
    expect(entriesOf(bot, /^the listing service sent no usable/).at(-1)).toMatchObject({
      interactionId: test.interactionId,
      action: 'games',
    });
    for (const entry of entriesOf(bot, 'interaction')) expect(entry).toMatchObject({ guildId });
  });

  it("shows why a command was rejected, but not the user's input", async ({ bot, guild, member }) => {
    const { id: guildId } = guild;
    await addServer(member, 'once.example.com:1');
    await lastInteraction(bot, { guildId, outcome: 'answered' });
    const refused = (reason: string) => lastInteraction(bot, { guildId, outcome: 'refused', reason });
    await addServer(member, 'once.example.com:1');
    await refused('already-submitted');
    await addServer(member, 'typed-text.example.com:99999');
    await refused('port-too-high');
    await member.slash('submissions', { server: 'typed-text.example.com' });
    await refused('command');
    expect(bot.output()).not.toContain('typed-text');
  });

  processIt('shows the outcomes of a submission interrupted by a crash', async ({ bot, guild, member }) => {
    await bot.listing.behave({ kind: 'hang' }, 1);
    void addServer(member, 'killed.example.com:1');
    await expect.poll(() => adds(guild)).toHaveLength(1);
    await bot.kill();
    await bot.start();
    await expect
      .poll(() => entriesOf(bot, /left over from before the restart$/))
      .toMatchObject([{ guildId: guild.id, outcome: 'told', servers: { unknown: 1 } }]);
  });

  it('contains one line per deletion, without user ids', async ({ bot, guild, admin, member }) => {
    const { id: guildId } = guild;
    await setKey(admin, 'sandbox-key');
    await addServer(member, 'one.example.com:1');
    await deleteName(member);
    await removeKey(admin);
    const question = await admin.press(
      await admin.slash('privacy'),
      'Delete all data for this Discord server',
    );
    await admin.press(question, 'Delete everything');
    await bot.process.stop();

    const idOfLast = (command: string) =>
      entriesOf(bot, 'interaction').findLast((entry) => entry.command === command)?.interactionId;
    const acts = entriesOf(bot, /^(?:deleted|removed|replaced) /).map(({ time: _, ...entry }) => entry);
    const [, secondKey] = entriesOf(bot, 'interaction').filter(
      ({ command, type }) => command === 'setkey' && type === 'modal',
    );
    expect(acts).toEqual([
      {
        level: 'info',
        guildId,
        interactionId: secondKey?.interactionId,
        msg: "replaced a guild's API key",
      },
      { level: 'info', guildId, msg: "deleted a member's name and drafts" },
      { level: 'info', guildId, interactionId: idOfLast('removekey'), msg: "removed a guild's API key" },
      { level: 'info', guildId, interactionId: idOfLast('privacy'), msg: "deleted a guild's data" },
    ]);
    for (const { userId } of [admin, member]) expect(bot.output()).not.toContain(userId);
  });

  processIt('ends with the duration of the shutdown and any aborted work', async ({ bot, guild, member }) => {
    await bot.process.stop();
    expect(bot.log().at(-1)).toMatchObject({ level: 'info', msg: 'stopped', ms: expect.any(Number) });
    expect(bot.log().at(-1)).not.toHaveProperty('cutOff');
    await bot.start();
    await bot.listing.behave({ kind: 'hang' });
    void addServer(member, 'cut-off.example.com:1');
    await expect.poll(() => adds(guild)).toHaveLength(1);
    await bot.process.stop();
    expect(bot.log().at(-1)).toMatchObject({
      level: 'warn',
      msg: 'stopped',
      cutOff: ['interactions: 1', 'connections'],
    });
  });

  it('reports the creation of the database only on the first start', async () => {
    const bot = await oneBot({ data: folder() });
    expect(entriesOf(bot, 'created the database')).toMatchObject([
      { level: 'info', migrations: expect.arrayContaining(['3.01-one-vocabulary']), ms: expect.any(Number) },
    ]);
    await bot.restart();
    expect(entriesOf(bot, /(?:created|updated) the database/)).toHaveLength(1);
  });

  it('lists the migrations applied to an older database', async () => {
    const data = folder();
    const database = new DatabaseSync(join(data, 'bot.sqlite'));
    database.exec(readFileSync(join(import.meta.dirname, '../storage/releases/0.3.0-sqlite.sql'), 'utf8'));
    database.close();
    const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
    const bot = await oneBot({ http: false, data, env: { ENCRYPTION_KEY } });
    expect(entriesOf(bot, 'updated the database')).toMatchObject([
      { level: 'info', migrations: expect.arrayContaining(['3.01-one-vocabulary']), ms: expect.any(Number) },
    ]);
  });

  it("warns at startup if the listing service can't be reached", async ({ bot }) => {
    const failures = () => entriesOf(bot, /^could not reach the listing service/);
    await expect.poll(() => entriesOf(bot, /^invite the bot/)).toHaveLength(1);
    expect(failures()).toEqual([]);
    const address = `http://127.0.0.1:${await quietPort()}`;
    const unreachable = await oneBot({ http: false, env: { LISTING_API_URL: address } });
    await expect
      .poll(() => entriesOf(unreachable, /^could not reach the listing service/))
      .toMatchObject([{ level: 'warn', address, reason: expect.stringContaining('ECONNREFUSED') }]);
  });
});
