import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { eventually } from '../support/eventually.ts';
import { chooseLogChannel, logLines } from '../support/guild-log.ts';
import { inNewGuild, messageOf, modalOf, openScene, type Scene, setKey, textOf } from '../support/scene.ts';
import { readStored } from '../support/stored.ts';

/** One bot, which every test kills, and a guild of its own for each test. */
let bot: Scene;
let scene: Scene;
/** How much there was before the test. */
let earlier: { readonly printed: number; readonly requests: number };
beforeAll(async () => {
  bot = await openScene({ env: { LISTING_API_TIMEOUT_MS: '60000' } });
});
beforeEach(async () => {
  scene = await inNewGuild(bot, { key: 'sandbox-key' });
  earlier = { printed: bot.output().length, requests: bot.discord.requests.length };
});
// Broken on purpose: 25 by an acknowledgement that never came; 39 is asking for an answer that is not there any more.
afterAll(() => bot.close({ breaches: [25, 39] }));

const ACCEPTED = 'Servers have been added for review.';
const UNKNOWN = /restarted while this was on its way.*may have been received: check the list/;

const requests = () => scene.discord.requests.slice(earlier.requests);
const printed = () => scene.output().slice(earlier.printed);
const add = (server: string, person = scene.member) => person.slash('addserver', { game: 'cs2', server });
const requestsFor = (host: string) =>
  scene.listing.requests.filter(({ servers }) => servers.some(({ server }) => server === host)).length;
const heldOf = (host: string) => scene.listing.submitted.filter(({ server }) => server === host).length;
const thinking = ({ channelId, userId } = scene.member) =>
  scene.discord
    .messages({ channelId })
    .concat(scene.discord.messages({ channelId, userId }))
    .filter(({ loading }) => loading).length;

/** A try that lacks its port, and the window to correct it in. */
async function wrong(server: string) {
  const message = messageOf(await scene.member.slash('addserver', { game: 'cs2', server }));
  const modal = modalOf(await scene.member.press(message, 'Edit'));
  return { modal, typed: { game: 'cs2', server, query_port: '' } };
}

/** Ends the bot as if the machine had lost its power, and starts it again on the same data. */
async function crash(): Promise<void> {
  await scene.kill();
  await scene.listing.behave({ kind: 'ok' });
  scene.discord.faults.clear();
  await scene.startBot();
}

describe('after a kill -9', () => {
  it('sends what had not left, and reports what had as unknown without sending it again', async () => {
    await scene.listing.behave({ kind: 'hang', carriedOut: true });
    // At most two requests of a guild run at once: the third is ready, and waits.
    const answers: Promise<Answer>[] = [];
    for (const n of [1, 2, 3]) {
      answers.push(add(`s${n}.example.com:27015`));
      const arrived = Math.min(n, 2);
      await expect
        .poll(() => heldOf('s1.example.com') + heldOf('s2.example.com') + heldOf('s3.example.com'))
        .toBe(arrived);
    }
    await expect.poll(() => thinking()).toBe(3);
    await crash();

    const said = (await Promise.all(answers)).map(textOf);
    for (const text of said.slice(0, 2)) expect(text.replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(said[0]).toContain('Counter-Strike 2 — s1.example.com:27015');
    expect(said[2]).toContain(ACCEPTED);
    expect([1, 2, 3].map((n) => requestsFor(`s${n}.example.com`))).toEqual([1, 1, 1]);
    expect(thinking()).toBe(0);

    // What may have been received is not sent again by mistake, and the next command works.
    expect(textOf(await add('s1.example.com:27015'))).toMatch(
      /became of it is unknown, and it may have been received/,
    );
    expect(textOf(await add('s3.example.com:27015'))).toMatch(/it was sent for review/);
    expect(textOf(await add('s6.example.com:27015'))).toContain(ACCEPTED);
    expect(heldOf('s1.example.com')).toBe(1);
  });

  it('reports as unknown what was about to be sent when it ended', async () => {
    await scene.listing.behave({ kind: 'down' });
    const answer = add('about.example.com:1');
    // Refused once; it would be tried again in a moment, which the kill has to come before.
    await expect
      .poll(() => printed(), { interval: 5 })
      .toContain('no answer to use from the listing service');
    await crash();
    expect(textOf(await answer).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(requestsFor('about.example.com')).toBe(0);
  });

  it('tells the service’s answer that had come, but could not be passed on any more', async () => {
    scene.discord.faults.inject({ fault: { kind: 'hang' }, method: 'PATCH', path: /webhooks/, times: 9 });
    const answer = add('answered.example.com:1');
    await expect
      .poll(() => requests().some(({ method, status }) => method === 'PATCH' && status === 0))
      .toBe(true);
    await crash();
    expect(textOf(await answer)).toContain(ACCEPTED);
    expect(requestsFor('answered.example.com')).toBe(1);
    expect(thinking()).toBe(0);
  });

  it('does not submit what was never acknowledged, since the member was told that nothing came', async () => {
    scene.discord.faults.inject({ fault: { kind: 'hang' }, path: /callback/ });
    const answer = add('silent.example.com:1');
    await expect.poll(() => requests().some(({ status }) => status === 0)).toBe(true);
    await crash();
    expect(await answer).toEqual({ kind: 'lost' });
    await expect.poll(printed).toContain('answered what was left from before the restart');
    expect(requestsFor('silent.example.com')).toBe(0);
  });

  it('asks to run a command again that submits nothing', async () => {
    await scene.listing.behave({ kind: 'hang' });
    const answer = setKey(scene.admin, 'another-key');
    await expect.poll(() => thinking(scene.admin)).toBe(1);
    await crash();
    expect(textOf(await answer)).toContain('restarted before it could answer. Please run the command again.');
    expect(thinking(scene.admin)).toBe(0);
    expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');
  });

  it('goes on with a button that submits, once', async () => {
    await add('button.example.com:1');
    const warning = messageOf(await add('button.example.com:1'));
    await scene.listing.behave({ kind: 'hang', carriedOut: true });
    const others = [1, 2].map((n) => add(`o${n}.example.com:1`));
    await expect.poll(() => heldOf('o1.example.com') + heldOf('o2.example.com')).toBe(2);
    const pressed = scene.member.press(warning, 'Submit again');
    await expect.poll(() => callbacks()).toBe(5);
    await crash();
    expect(textOf(await pressed)).toContain(ACCEPTED);
    await Promise.all(others);
    expect(requestsFor('button.example.com')).toBe(2);
  });

  it('goes on with a window that was submitted, with what was typed in it, once', async () => {
    const [sent, waits] = [await wrong('sent.example.com'), await wrong('waits.example.com')];
    await scene.listing.behave({ kind: 'hang', carriedOut: true });
    const other = add('other.example.com:1');
    await expect.poll(() => heldOf('other.example.com')).toBe(1);
    const first = scene.member.submit(sent.modal, { ...sent.typed, port: '1' });
    await expect.poll(() => heldOf('sent.example.com')).toBe(1);
    // At most two requests of a guild run at once.
    const second = scene.member.submit(waits.modal, { ...waits.typed, port: '2' });
    await expect.poll(() => callbacks()).toBe(5);
    await crash();
    expect(textOf(await first)).toMatch(UNKNOWN);
    expect(textOf(await second)).toContain(ACCEPTED);
    expect(textOf(await second)).toContain('waits.example.com:2');
    await other;
    expect([requestsFor('sent.example.com'), requestsFor('waits.example.com')]).toEqual([1, 1]);
  });

  it('leaves nothing behind in the store', async () => {
    await scene.listing.behave({ kind: 'hang' });
    const answer = add('gone.example.com:1');
    await expect.poll(() => requestsFor('gone.example.com')).toBe(1);
    await crash();
    await answer;
    await eventually(() => readStored(scene.data).unfinished, []);
    await scene.restart();
    await add('after.example.com:1');
    await eventually(() => readStored(scene.data).unfinished, []);
  });

  it('tells the guild, in its log channel, what the member can no longer be told', async () => {
    await chooseLogChannel(scene);
    await scene.listing.behave({ kind: 'hang' });
    void add('late.example.com:1');
    await expect.poll(() => requestsFor('late.example.com')).toBe(1);
    await scene.kill();
    await scene.listing.behave({ kind: 'ok' });
    // For good: it is the last test of this bot.
    scene.discord.clock.advance(16 * 60_000);
    await scene.startBot();
    await expect
      .poll(() => logLines(scene).join('\n'))
      .toMatch(/member made a submission.*may have been received/s);
    expect(requestsFor('late.example.com')).toBe(1);
  });
});

/** Acknowledgements that arrived. */
const callbacks = () =>
  requests().filter(({ path, body }) => path.includes('callback') && /"type":[56]/.test(body)).length;
