import type { Client } from 'discord.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import { startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import type { SeenMessage } from '../../../../sandbox/discord/world/messages.ts';
import { connect, SMALL_COMMANDS, smallBot, TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let client: Client;
let person: Person;

beforeAll(async () => {
  standIn = await startDiscord({ token: TOKEN });
  client = await connect(standIn, smallBot);
  await client.application?.commands.set(SMALL_COMMANDS);
  await standIn.ready();
  const [guild] = standIn.guilds;
  if (guild === undefined) throw new Error('no guild');
  person = standIn.person({ guild, name: 'mason', permissions: 0n });
});

afterAll(async () => {
  await client.destroy();
  await standIn.close();
});

function messageOf(answer: Answer): SeenMessage {
  if (answer.kind !== 'message') throw new Error(`not a message: ${JSON.stringify(answer)}`);
  return answer.message;
}

it('runs a deferred ephemeral command to its edit', async () => {
  const message = messageOf(await person.slash('find', { what: 'a needle' }));
  expect(message).toMatchObject({ ephemeral: true, loading: false });
  expect(message.current).toMatchObject({ content: 'found a needle', flags: 64, type: 20 });
  expect(message.current?.application_id).toBe(standIn.applicationId);
});

it('completes an option', async () => {
  expect(await person.complete('find', 'what', { what: 'nee' })).toEqual([{ name: 'nee!', value: 'nee' }]);
});

it("refuses what a member's Discord would not send", async () => {
  expect(await person.slash('find')).toEqual({ kind: 'refused', why: 'what is required' });
  expect(await person.slash('find', { what: 'x', count: 6 })).toEqual({
    kind: 'refused',
    why: 'count is too large',
  });
  expect(await person.slash('unknown')).toMatchObject({ kind: 'refused' });
});

it('opens a modal, checks it, and submits it', async () => {
  const answer = await person.slash('ask');
  if (answer.kind !== 'modal') throw new Error('no modal');
  expect(answer.modal.data.title).toBe('A question');
  expect(await person.submit(answer.modal, { text: 'x' })).toEqual({
    kind: 'refused',
    why: 'text is too short',
  });
  const message = messageOf(await person.submit(answer.modal, { text: 'hello' }));
  expect(message.ephemeral).toBe(true);
  expect(message.current?.content).toBe('You said hello');
});

it('presses buttons', async () => {
  const message = messageOf(await person.slash('buttons'));
  expect(messageOf(await person.press(message, 'Now')).current?.content).toBe('pressed now');
  expect(await person.press(message, 'Never')).toMatchObject({ kind: 'refused' });
  expect(messageOf(await person.press(message, 'later')).current).toMatchObject({
    content: 'pressed later',
    components: [],
  });
  expect(message.current?.content).toBe('pressed later');
});

it('receives a file with a follow-up and serves it', async () => {
  messageOf(await person.slash('file'));
  await expect
    .poll(() => standIn.messages({ channelId: person.channelId }).at(-1)?.current?.content)
    .toBe('with a file');
  const message = standIn.messages({ channelId: person.channelId }).at(-1);
  expect(message?.file('hello.txt')?.toString()).toBe('hello file');
  const url = message?.current?.attachments[0]?.url ?? '';
  expect(await (await fetch(url)).text()).toBe('hello file');
});

it('broke no rule', () => {
  expect(standIn.breaches).toEqual([]);
});
