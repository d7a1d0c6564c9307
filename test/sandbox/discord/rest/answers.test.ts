import type { APIMessage } from 'discord.js';
import { MessageResponseSchema } from 'discord-api-spec/zod';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import { answerFlaws } from '../../../../sandbox/discord/rest/server.ts';
import { startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import type { SeenMessage } from '../../../../sandbox/discord/world/messages.ts';
import { nextInteraction, type RawGateway, raw, rawBot } from '../support/raw.ts';
import { TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let person: Person;

beforeEach(async () => {
  const commands = [
    { name: 'ping', description: 'Ping' },
    { name: 'Read', type: 3 },
  ];
  ({ standIn, gateway, person } = await rawBot(commands));
});
afterEach(() => standIn.close());

/** The interaction that an action starts, and the messages of its token. */
async function started(_action: Promise<unknown>) {
  const { id, token } = await nextInteraction(gateway);
  const webhook = `/webhooks/${standIn.applicationId}/${token}`;
  const message = (answer: { readonly json: object }) => answer.json as APIMessage;
  return {
    id,
    reply: (json: unknown) => raw(standIn, `POST /interactions/${id}/${token}/callback`, { json }),
    original: async () => message(await raw(standIn, `GET ${webhook}/messages/@original`)),
    edit: async (json: unknown) =>
      message(await raw(standIn, `PATCH ${webhook}/messages/@original`, { json })),
    followUp: async (json: unknown) => message(await raw(standIn, `POST ${webhook}`, { json })),
  };
}

const BUTTON = { type: 1, components: [{ type: 2, style: 1, label: 'Press', custom_id: 'press' }] };

/** A message with a button, in answer to /ping. */
async function shown(flags = 0): Promise<SeenMessage> {
  const answer = person.slash('ping');
  const command = await started(answer);
  await command.reply({ type: 4, data: { content: 'source', flags, components: [BUTTON] } });
  const seen = await answer;
  if (seen.kind !== 'message') throw new Error(`a message was expected, and not ${seen.kind}`);
  return seen.message;
}

describe('rule 42: what a message says about its origin', () => {
  it('is the command that it answers', async () => {
    const command = await started(person.slash('ping'));
    await command.reply({ type: 4, data: { content: 'x' } });
    expect(await command.original()).toMatchObject({
      type: 20,
      interaction: { id: command.id, type: 2, name: 'ping', user: { id: person.userId } },
      interaction_metadata: {
        id: command.id,
        type: 2,
        authorizing_integration_owners: { 0: person.guildId },
      },
    });
  });

  it('is the message that a message command was used on', async () => {
    const target = standIn.say(person, 'hello');
    const command = await started(person.useOnMessage('Read', target));
    await command.reply({ type: 4, data: { content: 'x' } });
    expect(await command.original()).toMatchObject({
      type: 23,
      interaction_metadata: { target_message_id: target },
    });
  });

  it('is, for a component, a reply to its message, which is repeated when everybody sees it', async () => {
    const source = await shown();
    const press = await started(person.press(source, 'Press'));
    await press.reply({ type: 5 });
    expect(await press.original()).toMatchObject({
      type: 19,
      message_reference: {
        type: 0,
        channel_id: person.channelId,
        message_id: source.id,
        guild_id: person.guildId,
      },
      referenced_message: { id: source.id, content: 'source' },
      interaction_metadata: { type: 3, interacted_message_id: source.id },
    });
  });

  it('is, for a component of a message that one member sees, a reply without that message', async () => {
    const source = await shown(64);
    const press = await started(person.press(source, 'Press'));
    await press.reply({ type: 4, data: { content: 'x', flags: 64 } });
    const message = await press.original();
    expect(message).toMatchObject({ type: 19, message_reference: { message_id: source.id } });
    expect(message).not.toHaveProperty('referenced_message');
  });

  it('is, for a follow-up, a reply to the first answer', async () => {
    const command = await started(person.slash('ping'));
    await command.reply({ type: 4, data: { content: 'first' } });
    const { id } = await command.original();
    expect(await command.followUp({ content: 'second' })).toMatchObject({
      type: 19,
      message_reference: { message_id: id },
      interaction_metadata: { original_response_message_id: id },
    });
  });

  it('is, for a modal, also what opened it', async () => {
    const opening = person.slash('ping');
    const command = await started(opening);
    const input = { type: 4, custom_id: 'text', style: 1, label: 'Text', required: false };
    const modal = { custom_id: 'm', title: 'M', components: [{ type: 1, components: [input] }] };
    await command.reply({ type: 9, data: modal });
    const opened = await opening;
    if (opened.kind !== 'modal') throw new Error(`a modal was expected, and not ${opened.kind}`);
    const submitted = await started(person.submit(opened.modal, {}));
    await submitted.reply({ type: 4, data: { content: 'x' } });
    expect(await submitted.original()).toMatchObject({
      interaction_metadata: { type: 5, triggering_interaction_metadata: { id: command.id, type: 2 } },
    });
  });
});

it('a deferred ephemeral answer reads back as ephemeral and loading, and once edited as ephemeral', async () => {
  const command = await started(person.slash('ping'));
  await command.reply({ type: 5, data: { flags: 64 } });
  expect((await command.original()).flags).toBe(192);
  expect((await command.edit({ content: 'x' })).flags).toBe(64);
});

describe("an answer that Discord's published schema does not allow", () => {
  it('is named, field by field', () => {
    const flaws = answerFlaws(MessageResponseSchema, 200, JSON.stringify({ content: 1, timestamp: 'now' }));
    expect(flaws).toContainEqual(expect.stringMatching(/^content: /));
    expect(flaws).toContainEqual(expect.stringMatching(/^timestamp: /));
    expect(flaws).toContainEqual(expect.stringMatching(/^author: /));
  });

  it('is a body where none belongs, and an error without its code', () => {
    expect(answerFlaws('nothing', 200, '{}')).toHaveLength(1);
    expect(answerFlaws('nothing', 204, undefined)).toEqual([]);
    expect(answerFlaws('nothing', 404, '{"message":"x"}')).toEqual([expect.stringMatching(/^code: /)]);
    expect(answerFlaws('nothing', 404, '{"message":"x","code":0}')).toEqual([]);
    expect(answerFlaws('nothing', 429, '{"message":"x","code":0}')).toHaveLength(2);
  });

  it('fails whoever closes the stand-in', async () => {
    const other = await startDiscord({ token: TOKEN });
    const { id } = other.guildEvents.add({ name: 'x', locale: 'no language' });
    await raw(other, `GET /guilds/${id}`);
    await expect(other.close()).rejects.toThrow('GET /guilds/:guild → 200: preferred_locale');
  });
});
