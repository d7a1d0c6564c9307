import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { ANSWER_WITHIN_MS, inNewGuild, openScene, type Scene, setKey, textOf } from '../support/bot.ts';
import { bytesOnDisk, readStored } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import {
  ACCEPTED,
  addServer,
  addsOf,
  chooseLogChannel,
  csvOf,
  labelsOf,
  lines,
  logLines,
  openWindow,
  pressSubmit,
  reported,
  sendFile,
} from '../support/people.ts';

/** One bot, which is killed and started again, and a guild of its own for each test. */
let bot: Scene;
beforeAll(async () => {
  bot = await openScene({
    env: { LISTING_API_TIMEOUT_MS: '60000', LISTING_REQUESTS_AT_ONCE: '20' },
    // The first request of the list is always answered.
    listing: {
      onRequest: (_, { servers }) =>
        servers[0]?.server === 's0.list.example.com' ? { kind: 'ok' } : undefined,
    },
  });
});
afterAll(() => bot.close());

const NOT_SENT = 'Not sent. The bot was restarted. You can safely try again.';
const RUN_AGAIN = 'The bot was restarted. Please run the command again.';
const UNKNOWN = /Unconfirmed\. The bot was restarted\. The submission may have gone through. Check the list/;

const newGuild = () => inNewGuild(bot, { key: 'sandbox-key' });
const add = ({ member }: Scene, server: string) => addServer(member, server);
const requestsFor = (host: string) => addsOf(bot, host).length;
const heldOf = (...hosts: readonly string[]) =>
  bot.listing.submitted.filter(({ server }) => hosts.includes(server)).length;
const thinking = ({ channelId, userId }: Person) =>
  bot.discord
    .messages({ channelId })
    .concat(bot.discord.messages({ channelId, userId }))
    .filter(({ loading }) => loading).length;
/** Requests to Discord that were never answered. */
const unanswered = (method: string, path: RegExp) =>
  bot.discord.requests
    .filter((request) => request.method === method && request.status === 0)
    .filter((request) => path.test(request.path)).length;
/** Acknowledgements that arrived. */
const acknowledged = () =>
  bot.discord.requests.filter(({ path, body }) => path.includes('callback') && /^\{"type":[567]/.test(body))
    .length;

const OWN_KEY = 'sandbox-key-0123456789-wxyz';
function hasNoKeyInClear(): void {
  const bytes = bytesOnDisk(join(bot.data, 'bot.sqlite'));
  for (const coding of ['utf8', 'base64', 'hex', 'utf16le'] as const)
    expect(bytes).not.toContain(Buffer.from(OWN_KEY).toString(coding));
}

/** Ends the bot as if the machine had lost its power, and starts it again on the same data. */
async function crash(): Promise<void> {
  await bot.kill();
  hasNoKeyInClear();
  await bot.listing.behave({ kind: 'ok' });
  bot.discord.faults.clear();
  await bot.startBot();
}

/** What a guild does before a crash: while all is well; once the service is silent (first yield); and after it (second). */
type Story = (scene: Scene) => AsyncGenerator<undefined, void, void>;

/** All of them live through one crash. */
const STORIES: Readonly<Record<string, Story>> = {
  async *'reports what had left as unknown, and what had not as not sent, with a button that sends it'(
    scene,
  ) {
    yield;
    // At most two requests of a guild run at once: the third is ready, and waits.
    const answers: Promise<Answer>[] = [];
    for (const n of [1, 2, 3]) {
      answers.push(add(scene, `s${n}.example.com:27015`));
      await eventually(() => heldOf('s1.example.com', 's2.example.com', 's3.example.com'), Math.min(n, 2));
    }
    await eventually(() => thinking(scene.member), 3);
    yield;
    const [first, second, third] = await Promise.all(answers);
    if (!first || !second || !third) throw new Error('there are three answers');
    for (const answer of [first, second]) expect(textOf(answer).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(textOf(first)).toContain('Counter-Strike 2 s1.example.com:27015');
    expect(labelsOf(first)).toEqual(['Not on the list: submit again', 'Edit']);
    expect(textOf(third)).toContain(NOT_SENT);
    expect(textOf(await scene.member.press(third, 'Try again'))).toContain(ACCEPTED);
    expect([1, 2, 3].map((n) => requestsFor(`s${n}.example.com`))).toEqual([1, 1, 1]);
    expect(thinking(scene.member)).toBe(0);

    // What may have been received is not sent again by mistake.
    expect(textOf(await add(scene, 's1.example.com:27015'))).toMatch(/⚠️ Not sent: .*may have gone through/s);
    expect(heldOf('s1.example.com')).toBe(1);
  },

  async *'tells of a list what was accepted, what is unknown and what was not sent, which goes with a press'(
    scene,
  ) {
    const list = lines(250).replaceAll('.example.com', '.list.example.com');
    const preview = await sendFile(scene.member, list);
    yield;
    void scene.member.press(preview, 'Submit 250 game servers');
    await eventually(() => requestsFor('s100.list.example.com'), 1);
    yield;
    await eventually(() => textOf(preview).includes('restarted'), true);
    for (const words of [/100 .*sent for review/, /100 .*unconfirmed/, /50 .*not sent/])
      expect(textOf(preview)).toMatch(words);
    expect(csvOf(await reported(preview), 'report.csv')).toHaveLength(250);
    expect(labelsOf(preview)).toEqual(['Submit again', 'Not on the list: submit again', 'Edit']);
    expect(textOf(await pressSubmit(scene.member, preview))).toContain('50 sent for review');
    const hosts = Array.from({ length: 250 }, (_, n) => `s${n}.list.example.com`);
    expect(heldOf(...hosts)).toBe(250);
    expect(hosts.filter((host) => requestsFor(host) !== 1)).toEqual([]);
  },

  async *'asks to run a command again that submits nothing'(scene) {
    yield;
    const answer = setKey(scene.admin, 'another-key');
    await eventually(() => thinking(scene.admin), 1);
    yield;
    expect(textOf(await answer)).toContain(RUN_AGAIN);
    expect(thinking(scene.admin)).toBe(0);
    expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');
  },

  async *'tells of a button and of a window that submit, and nothing of them is sent by itself'(scene) {
    await add(scene, 'button.example.com:1');
    const warning = await add(scene, 'button.example.com:1');
    const noPort = await add(scene, 'window.example.com');
    const { modal, typed } = await openWindow(scene.member, noPort);
    yield;
    const before = acknowledged();
    const others = [1, 2].map((n) => add(scene, `o${n}.example.com:1`));
    await eventually(() => heldOf('o1.example.com', 'o2.example.com'), 2);
    const pressed = scene.member.press(warning, 'Submit again');
    const submitted = scene.member.submit(modal, { ...typed, port: '2' });
    await eventually(() => acknowledged() - before, 4);
    yield;
    for (const [answer, host] of [
      [await pressed, 'button.example.com'],
      [await submitted, 'window.example.com'],
    ] as const) {
      await eventually(() => textOf(answer).includes(NOT_SENT), true);
      expect(requestsFor(host)).toBe(host === 'button.example.com' ? 1 : 0);
      expect(textOf(await scene.member.press(answer, 'Try again'))).toContain(ACCEPTED);
    }
    await Promise.all(others);
  },

  async *'tells the service’s answer that had come, but could not be passed on any more'(scene) {
    yield;
    await bot.listing.behave({ kind: 'ok' });
    bot.discord.faults.inject({ fault: { kind: 'hang' }, method: 'PATCH', path: /webhooks/, times: 9 });
    const answer = add(scene, 'answered.example.com:1');
    await eventually(() => unanswered('PATCH', /webhooks/) > 0, true);
    yield;
    expect(textOf(await answer)).toContain(ACCEPTED);
    expect(requestsFor('answered.example.com')).toBe(1);
    expect(thinking(scene.member)).toBe(0);
  },

  async *'does not submit what was never acknowledged, since the member was told that nothing came'(scene) {
    yield;
    const before = unanswered('POST', /callback/);
    bot.discord.faults.inject({ fault: { kind: 'hang' }, path: /callback/, times: 9 });
    const answer = add(scene, 'silent.example.com:1');
    await eventually(() => unanswered('POST', /callback/) > before, true);
    yield;
    bot.discord.clock.advance(ANSWER_WITHIN_MS);
    expect(await answer).toEqual({ kind: 'lost' });
    expect(requestsFor('silent.example.com')).toBe(0);
  },

  async *'has a key nowhere in clear, whatever was done with it'(scene) {
    const { admin } = scene;
    bot.listing.allow(OWN_KEY);
    await setKey(admin, OWN_KEY);
    hasNoKeyInClear();
    expect(textOf(await add(scene, 'own-key.example.com:1'))).toContain(ACCEPTED);
    bot.listing.revoke(OWN_KEY);
    await add(scene, 'own-key.example.com:2');
    hasNoKeyInClear();
    yield;
    yield;
    await admin.press(await admin.slash('keystatus'), 'Check now');
    hasNoKeyInClear();
  },
};

describe('after a kill -9', () => {
  const begun = new Map<string, ReturnType<Story>>();
  beforeAll(async () => {
    for (const [name, story] of Object.entries(STORIES)) begun.set(name, story(await newGuild()));
    for (const story of begun.values()) await story.next();
    await bot.listing.behave({ kind: 'hang', carriedOut: true });
    for (const story of begun.values()) await story.next();
    await crash();
  });

  it.each(Object.keys(STORIES))('%s', async (name) => {
    expect(await begun.get(name)?.next()).toEqual({ done: true, value: undefined });
  });

  it('nothing is left behind in the store, nor does the next start', async () => {
    await eventually(() => readStored(bot.data).unfinished, []);
    await bot.restart();
    expect(readStored(bot.data).unfinished).toEqual([]);
  });

  it('what was about to be sent is reported as unknown', async () => {
    const scene = await newGuild();
    const printed = bot.output().length;
    await bot.listing.behave({ kind: 'down' });
    const answer = add(scene, 'about.example.com:1');
    // Refused once; it would be tried again in a moment, which the kill has to come before.
    await expect
      .poll(() => bot.output().slice(printed), { interval: 5 })
      .toContain('no response to use from the listing service');
    await crash();
    expect(textOf(await answer).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(requestsFor('about.example.com')).toBe(0);
  });

  it('a deletion goes on that was in the middle', async () => {
    const { admin } = await newGuild();
    const path = join(bot.data, 'bot.sqlite');
    await bot.bot.stop();
    const database = new DatabaseSync(path, { timeout: 5_000 });
    onTestFinished(() => database.close());
    database.exec(`INSERT INTO servers (submission_id, position, guild_id, host, port, game, address)
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
      SELECT 'many', i, '${admin.guildId}', 'h' || i, 1, 'cs2', 'h' || i FROM n`);
    await bot.startBot();
    const label = 'Delete all data of this Discord server';
    const question = await admin.press(await admin.slash('privacy'), label);
    const left = () =>
      Number(
        database.prepare('SELECT count(*) AS n FROM servers WHERE guild_id = ?').get(admin.guildId)?.n ?? 0,
      );
    void admin.press(question, 'Delete everything');
    while (left() > 60_000) await setImmediate();
    await bot.kill();
    expect(left()).toBeGreaterThan(0);
    await bot.startBot();
    await eventually(left, 0);
    expect(textOf(await admin.slash('keystatus'))).toContain('has no API key');
  });

  it('the guild is told, in its log channel, what the member can no longer be told', async () => {
    const scene = await newGuild();
    await chooseLogChannel(scene);
    await bot.listing.behave({ kind: 'hang' });
    void add(scene, 'late.example.com:1');
    await expect.poll(() => requestsFor('late.example.com')).toBe(1);
    await bot.kill();
    await bot.listing.behave({ kind: 'ok' });
    // For good: it is the last test of this bot.
    bot.discord.clock.advance(16 * 60_000);
    await bot.startBot();
    await expect
      .poll(() => logLines(scene).join('\n'))
      .toMatch(/member submitted game servers.*may have gone through/s);
    expect(requestsFor('late.example.com')).toBe(1);
  });
});
