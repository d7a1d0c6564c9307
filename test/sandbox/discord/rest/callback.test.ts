import type { Client, Interaction } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../../../sandbox/discord/world/messages.ts';
import { button, modal, row } from '../support/bodies.ts';
import { codeAt, nextInteraction, type RawGateway, raw, rawBot } from '../support/raw.ts';
import { connect } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let person: Person;
let client: Client | undefined;

beforeEach(async () => {
  const commands = [
    { name: 'ping', description: 'Ping' },
    {
      name: 'find',
      description: 'Find',
      options: [{ type: 3, name: 'what', description: 'What', autocomplete: true }],
    },
  ];
  ({ standIn, gateway, person } = await rawBot(commands));
});

afterEach(async () => {
  await client?.destroy();
  client = undefined;
  await standIn.close();
});

const text = (length: number) => 'x'.repeat(length);
const broken = () => standIn.breaches.map(({ rule }) => rule);
/** Starts something as a member; `answer` is what they see in the end. */
async function start<T>(action: Promise<T>) {
  const { id, token } = await nextInteraction(gateway);
  return { id, token, answer: action };
}

const reply = ({ id, token }: { id: string; token: string }, json: unknown, query = '') =>
  raw(standIn, `POST /interactions/${id}/${token}/callback${query}`, {
    json,
    headers: { authorization: null },
  });

/** A message of the bot with a button, and one that a modal can be opened from. */
async function shown(): Promise<SeenMessage> {
  const command = await start(person.slash('ping'));
  await reply(command, { type: 4, data: { content: 'x', components: [row(button())] } });
  const answer: Answer = await command.answer;
  if (answer.kind !== 'message') throw new Error(answer.kind);
  return answer.message;
}

/** A discord.js bot that answers every interaction with the body of a callback, and what it was told. */
async function errorThroughDiscordJs(
  act: (interaction: Interaction) => Promise<unknown>,
  use: () => Promise<unknown>,
): Promise<{ status?: number; code?: number; rawError?: { errors?: unknown } }> {
  await gateway.close();
  standIn.clock.advance(5_000);
  const told = Promise.withResolvers<object>();
  client = await connect(standIn, async (interaction) => {
    await act(interaction).then(
      () => told.reject(new Error('no rule was broken')),
      (error: object) => told.resolve(error),
    );
  });
  void use();
  return told.promise;
}

/** Sends the body as it is through the library's REST client. */
const asIs = (body: unknown) => (interaction: Interaction) =>
  interaction.client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, {
    body,
    auth: false,
  });

const unknownInteraction = { status: 404, json: { code: 10062, message: 'Unknown interaction' } };

describe('rule 25: an answer within 3 seconds', () => {
  it('knows no interaction of an unknown id or token', async () => {
    const { id, token } = await start(person.slash('ping'));
    const json = { type: 4, data: { content: 'x' } };
    expect(await reply({ id: '123456789012345678', token }, json)).toMatchObject(unknownInteraction);
    expect(await reply({ id, token: 'unknown' }, json)).toMatchObject(unknownInteraction);
    expect((await reply({ id, token }, json)).status).toBe(204);
  });

  it('is too late after 3 seconds, and the member is told so', async () => {
    const command = await start(person.slash('ping'));
    standIn.clock.advance(3_001);
    expect(await command.answer).toEqual({ kind: 'lost' });
    expect(await reply(command, { type: 5 })).toMatchObject(unknownInteraction);
    expect(broken()).toEqual([25]);
  });

  it('still takes an answer just before', async () => {
    const command = await start(person.slash('ping'));
    standIn.clock.advance(2_500);
    expect((await reply(command, { type: 4, data: { content: 'x' } })).status).toBe(204);
    expect(await command.answer).toMatchObject({ kind: 'message' });
  });

  it('tells discord.js with 404 and 10062', async () => {
    const error = await errorThroughDiscordJs(
      (interaction) => {
        standIn.clock.advance(3_001);
        return interaction.isChatInputCommand() ? interaction.reply('late') : Promise.resolve();
      },
      () => person.slash('ping'),
    );
    expect(error).toMatchObject({ status: 404, code: 10062 });
  });
});

describe('rule 26: one answer only', () => {
  it('refuses the second with 400 and 40060', async () => {
    const command = await start(person.slash('ping'));
    await reply(command, { type: 5 });
    const second = await reply(command, { type: 4, data: { content: 'x' } });
    expect(second).toMatchObject({ status: 400, json: { code: 40060 } });
    expect(second.json.message).toBe('Interaction has already been acknowledged.');
    expect(broken()).toEqual([26]);
  });

  it('tells discord.js with 40060, here of an interaction that arrived twice', async () => {
    standIn.gateway.disturbDispatch({ copies: 2 });
    const error = await errorThroughDiscordJs(
      async (interaction) => {
        if (!interaction.isChatInputCommand()) return;
        await interaction.reply('once');
        await new Promise(() => {});
      },
      () => person.slash('ping'),
    );
    expect(error).toMatchObject({ status: 400, code: 40060 });
  });

  it('does not count a body that was refused', async () => {
    const command = await start(person.slash('ping'));
    expect((await reply(command, { type: 4, data: {} })).status).toBe(400);
    expect((await reply(command, { type: 4, data: { content: 'x' } })).status).toBe(204);
  });
});

describe('rule 27: which types answer what', () => {
  const refused = async (started: { id: string; token: string }, types: readonly number[]) => {
    for (const type of types) {
      const answer = await reply(started, { type, data: { content: 'x', choices: [], ...modal().data } });
      expect(answer).toMatchObject({ status: 400, json: { code: 50035 } });
      expect(codeAt(answer.json.errors, 'type')).toBe('BASE_TYPE_CHOICES');
      // Five requests in two seconds are allowed.
      standIn.clock.advance(200);
    }
    expect(new Set(broken())).toEqual(new Set([27]));
  };

  it('refuses choices and updates for a command', async () => {
    await refused(await start(person.slash('ping')), [1, 6, 7, 8]);
  });

  it('refuses everything but choices for autocomplete', async () => {
    await refused(await start(person.complete('find', 'what', { what: 'x' })), [4, 5, 6, 9]);
  });

  it('refuses a modal, and without a message an update, for a modal submit', async () => {
    const command = await start(person.slash('ping'));
    await reply(command, modal());
    const opened = await command.answer;
    if (opened.kind !== 'modal') throw new Error(opened.kind);
    await refused(await start(person.submit(opened.modal, { text: 'x' })), [6, 7, 8, 9]);
  });

  it('lets a component update its message, and a modal opened from it too', async () => {
    const message = await shown();
    const press = await start(person.press(message, 'Press'));
    await reply(press, modal());
    const opened = await press.answer;
    if (opened.kind !== 'modal') throw new Error(opened.kind);
    const submit = await start(person.submit(opened.modal, { text: 'x' }));
    expect((await reply(submit, { type: 7, data: { content: 'updated' } })).status).toBe(204);
    expect(message.current?.content).toBe('updated');
  });

  it('tells discord.js, which lets any type pass its REST client', async () => {
    const error = await errorThroughDiscordJs(asIs({ type: 6 }), () => person.slash('ping'));
    expect(error).toMatchObject({ status: 400, code: 50035 });
    expect(codeAt(error.rawError?.errors, 'type')).toBe('BASE_TYPE_CHOICES');
  });
});

describe('rule 28: what a callback returns', () => {
  it('is 204, or 200 and the message when asked for', async () => {
    for (const query of ['?with_response=true', '?with_response=1', '?with_response=True']) {
      const command = await start(person.slash('ping'));
      const answer = await reply(command, { type: 4, data: { content: 'x', flags: 64 } }, query);
      expect(answer).toMatchObject({
        status: 200,
        json: {
          interaction: {
            id: command.id,
            type: 2,
            response_message_ephemeral: true,
            response_message_loading: false,
          },
          resource: { type: 4, message: { content: 'x', flags: 64 } },
        },
      });
    }
    const command = await start(person.slash('ping'));
    expect((await reply(command, { type: 4, data: { content: 'x' } }, '?with_response=false')).status).toBe(
      204,
    );
  });

  it('is the updated message for an update, and no resource for choices or a modal', async () => {
    const press = await start(person.press(await shown(), 'Press'));
    const updated = await reply(press, { type: 7, data: { content: 'new' } }, '?with_response=true');
    expect(updated.json).toMatchObject({ resource: { type: 7, message: { content: 'new' } } });
    const typing = await start(person.complete('find', 'what', { what: 'x' }));
    const chosen = await reply(typing, { type: 8, data: { choices: [] } }, '?with_response=true');
    expect(chosen.json).toMatchObject({ interaction: { id: typing.id, type: 4 } });
    expect(chosen.json).not.toHaveProperty('resource');
  });

  it('is what discord.js makes a message of', async () => {
    await gateway.close();
    standIn.clock.advance(5_000);
    const told = Promise.withResolvers<unknown>();
    client = await connect(standIn, async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      const { resource } = await interaction.reply({ content: 'x', withResponse: true });
      told.resolve(resource?.message?.content);
    });
    void person.slash('ping');
    expect(await told.promise).toBe('x');
  });

  it('names the loading message of a deferral without showing it', async () => {
    const command = await start(person.slash('ping'));
    const { json } = await reply(command, { type: 5 }, '?with_response=true');
    expect(json).toMatchObject({ interaction: { response_message_loading: true } });
    expect(json).not.toHaveProperty('resource');
  });
});

describe('answers to a command that break a rule', () => {
  it.each([
    ['a message', { type: 4, data: { content: text(2001) } }, 32, 'content', 'BASE_TYPE_MAX_LENGTH'],
    ['a deferral', { type: 5, data: { flags: 4 } }, 29, 'flags', 'BASE_TYPE_CHOICES'],
    ['a modal', modal({ title: text(46) }), 37, 'title', 'BASE_TYPE_BAD_LENGTH'],
  ] as const)('%s', async (_what, body, rule, at, code) => {
    const command = await start(person.slash('ping'));
    const answer = await reply(command, body);
    expect(answer).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(answer.json.errors, `data.${at}`)).toBe(code);
    expect(broken()).toEqual([rule]);
    const error = await errorThroughDiscordJs(asIs(body), () => person.slash('ping'));
    expect(error).toMatchObject({ status: 400, code: 50035, rawError: answer.json });
  });

  it('an update of the message with the button', async () => {
    const message = await shown();
    const press = await start(person.press(message, 'Press'));
    const answer = await reply(press, { type: 7, data: { content: text(2001) } });
    expect(answer).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(answer.json.errors, 'data.content')).toBe('BASE_TYPE_MAX_LENGTH');
    expect(broken()).toEqual([32]);
    expect(message.current?.content).toBe('x');
  });

  it('rule 32: an empty message is refused with 50006, from discord.js too', async () => {
    const command = await start(person.slash('ping'));
    const empty = { status: 400, json: { code: 50006, message: 'Cannot send an empty message' } };
    expect(await reply(command, { type: 4, data: { content: '  ' } })).toMatchObject(empty);
    expect(broken()).toEqual([32]);
    const error = await errorThroughDiscordJs(
      async (interaction) => interaction.isChatInputCommand() && interaction.reply({ content: '' }),
      () => person.slash('ping'),
    );
    expect(error).toMatchObject({ status: 400, code: 50006 });
  });
});

describe('rule 31: choices', () => {
  const choices = (count: number, more: object = {}) => ({
    type: 8,
    data: { choices: Array.from({ length: count }, (_, i) => ({ name: `c${i}`, value: `${i}`, ...more })) },
  });

  it.each([
    ['26 of them', choices(26), 'choices', 'BASE_TYPE_MAX_LENGTH'],
  ] as const)('refuses %s', async (_what, body, at, code) => {
    const typing = await start(person.complete('find', 'what', { what: 'x' }));
    const answer = await reply(typing, body);
    expect(answer).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(answer.json.errors, `data.${at}`)).toBe(code);
    expect(broken()).toEqual([31]);
    const error = await errorThroughDiscordJs(
      async (interaction) => interaction.isAutocomplete() && interaction.respond(body.data.choices),
      () => person.complete('find', 'what', { what: 'x' }),
    );
    expect(error).toMatchObject({ status: 400, code: 50035, rawError: answer.json });
  });

  it('shows 25 of them to the member', async () => {
    const typing = await start(person.complete('find', 'what', { what: 'x' }));
    expect((await reply(typing, choices(25))).status).toBe(204);
    expect(await typing.answer).toHaveLength(25);
  });
});
