import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { bytesOnDisk } from '../storage/temporary.ts';
import { eventually } from '../support/eventually.ts';
import { chooseLogChannel, logLines } from '../support/guild-log.ts';
import {
  ANSWER_WITHIN_MS,
  inNewGuild,
  messageOf,
  modalOf,
  openScene,
  type Scene,
  setKey,
  textOf,
} from '../support/scene.ts';
import { readStored } from '../support/stored.ts';

/** One bot, which is killed and started again, and a guild of its own for each test. */
let bot: Scene;
beforeAll(async () => {
  bot = await openScene({ env: { LISTING_API_TIMEOUT_MS: '60000', LISTING_REQUESTS_AT_ONCE: '20' } });
});
// Broken on purpose: 25 by an acknowledgement that never came; 39 is asking for an answer that is not there any more.
afterAll(() => bot.close({ breaches: [25, 39] }));

const ACCEPTED = 'Servers have been added for review.';
const UNKNOWN = /restarted while this was on its way.*may have been received: check the list/;

const newGuild = () => inNewGuild(bot, { key: 'sandbox-key' });
const add = ({ member }: Scene, server: string) => member.slash('addserver', { game: 'cs2', server });
const requestsFor = (host: string) =>
  bot.listing.requests.filter(({ servers }) => servers.some(({ server }) => server === host)).length;
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
  bot.discord.requests.filter(({ path, body }) => path.includes('callback') && /"type":[56]/.test(body))
    .length;

/** A try that lacks its port, and the window to correct it in. */
async function wrong({ member }: Scene, server: string) {
  const message = messageOf(await member.slash('addserver', { game: 'cs2', server }));
  const modal = modalOf(await member.press(message, 'Edit'));
  return { modal, typed: { game: 'cs2', server, query_port: '' } };
}

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
  async *'sends what had not left, and reports what had as unknown without sending it again'(scene) {
    yield;
    // At most two requests of a guild run at once: the third is ready, and waits.
    const answers: Promise<Answer>[] = [];
    for (const n of [1, 2, 3]) {
      answers.push(add(scene, `s${n}.example.com:27015`));
      await eventually(() => heldOf('s1.example.com', 's2.example.com', 's3.example.com'), Math.min(n, 2));
    }
    await eventually(() => thinking(scene.member), 3);
    yield;
    const said = (await Promise.all(answers)).map(textOf);
    for (const text of said.slice(0, 2)) expect(text.replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(said[0]).toContain('Counter-Strike 2 — s1.example.com:27015');
    expect(said[2]).toContain(ACCEPTED);
    expect([1, 2, 3].map((n) => requestsFor(`s${n}.example.com`))).toEqual([1, 1, 1]);
    expect(thinking(scene.member)).toBe(0);

    // What may have been received is not sent again by mistake, and the next command works.
    expect(textOf(await add(scene, 's1.example.com:27015'))).toMatch(
      /became of it is unknown, and it may have been received/,
    );
    expect(textOf(await add(scene, 's3.example.com:27015'))).toMatch(/it was sent for review/);
    expect(textOf(await add(scene, 's6.example.com:27015'))).toContain(ACCEPTED);
    expect(heldOf('s1.example.com')).toBe(1);
  },

  async *'asks to run a command again that submits nothing'(scene) {
    yield;
    const answer = setKey(scene.admin, 'another-key');
    await eventually(() => thinking(scene.admin), 1);
    yield;
    expect(textOf(await answer)).toContain('restarted before it could answer. Please run the command again.');
    expect(thinking(scene.admin)).toBe(0);
    expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');
  },

  async *'goes on with a button that submits, once'(scene) {
    await add(scene, 'button.example.com:1');
    const warning = messageOf(await add(scene, 'button.example.com:1'));
    yield;
    const before = acknowledged();
    const others = [1, 2].map((n) => add(scene, `o${n}.example.com:1`));
    await eventually(() => heldOf('o1.example.com', 'o2.example.com'), 2);
    const pressed = scene.member.press(warning, 'Submit again');
    await eventually(() => acknowledged() - before, 3);
    yield;
    expect(textOf(await pressed)).toContain(ACCEPTED);
    await Promise.all(others);
    expect(requestsFor('button.example.com')).toBe(2);
  },

  async *'goes on with a window that was submitted, with what was typed in it, once'(scene) {
    const [sent, waits] = [await wrong(scene, 'sent.example.com'), await wrong(scene, 'waits.example.com')];
    yield;
    const before = acknowledged();
    const other = add(scene, 'other.example.com:1');
    await eventually(() => heldOf('other.example.com'), 1);
    const first = scene.member.submit(sent.modal, { ...sent.typed, port: '1' });
    await eventually(() => heldOf('sent.example.com'), 1);
    // At most two requests of a guild run at once.
    const second = scene.member.submit(waits.modal, { ...waits.typed, port: '2' });
    await eventually(() => acknowledged() - before, 3);
    yield;
    expect(textOf(await first)).toMatch(UNKNOWN);
    expect(textOf(await second)).toContain(ACCEPTED);
    expect(textOf(await second)).toContain('waits.example.com:2');
    await other;
    expect([requestsFor('sent.example.com'), requestsFor('waits.example.com')]).toEqual([1, 1]);
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
    bot.discord.faults.inject({ fault: { kind: 'hang' }, path: /callback/ });
    const answer = add(scene, 'silent.example.com:1');
    await eventually(() => unanswered('POST', /callback/), 1);
    yield;
    bot.discord.clock.advance(ANSWER_WITHIN_MS);
    expect(await answer).toEqual({ kind: 'lost' });
    await eventually(() => bot.output().includes('answered what was left from before the restart'), true);
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
    await admin.press(messageOf(await admin.slash('keystatus')), 'Check now');
    hasNoKeyInClear();
  },

  async *'leaves nothing behind in the store, nor does the next start'(scene) {
    yield;
    await eventually(() => readStored(bot.data).unfinished.length > 0, true);
    yield;
    await eventually(() => readStored(bot.data).unfinished, []);
    await bot.restart();
    await add(scene, 'after.example.com:1');
    await eventually(() => readStored(bot.data).unfinished, []);
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

  it('reports as unknown what was about to be sent when it ended', async () => {
    const scene = await newGuild();
    const printed = bot.output().length;
    await bot.listing.behave({ kind: 'down' });
    const answer = add(scene, 'about.example.com:1');
    // Refused once; it would be tried again in a moment, which the kill has to come before.
    await expect
      .poll(() => bot.output().slice(printed), { interval: 5 })
      .toContain('no answer to use from the listing service');
    await crash();
    expect(textOf(await answer).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(requestsFor('about.example.com')).toBe(0);
  });

  it('tells the guild, in its log channel, what the member can no longer be told', async () => {
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
      .toMatch(/member made a submission.*may have been received/s);
    expect(requestsFor('late.example.com')).toBe(1);
  });
});
