import type { Client, Interaction } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import { startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import type { SeenMessage } from '../../../../sandbox/discord/world/messages.ts';
import { codeAt, identified, nextInteraction, type RawGateway, raw } from '../support/raw.ts';
import { connect, TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let person: Person;
let client: Client | undefined;

beforeEach(async () => {
  standIn = await startDiscord({ token: TOKEN });
  const commands = [
    { name: 'ping', description: 'Ping' },
    {
      name: 'find',
      description: 'Find',
      options: [{ type: 3, name: 'what', description: 'What', autocomplete: true }],
    },
  ];
  await raw(standIn, `PUT /applications/${standIn.applicationId}/commands`, { json: commands });
  gateway = await identified(standIn);
  const [guild] = standIn.guilds;
  if (guild === undefined) throw new Error('no guild');
  person = standIn.person({ guild, name: 'mason', permissions: 0n });
});

afterEach(async () => {
  await client?.destroy();
  client = undefined;
  await standIn.close();
});

const text = (length: number) => 'x'.repeat(length);
const ruleIn = (title: string) => Number(/^rule (\d+)/.exec(title)?.[1]);
const broken = () => standIn.breaches.map(({ rule }) => rule);
const button = (more: object = {}) => ({ type: 2, style: 1, label: 'Press', custom_id: 'press', ...more });
const row = (...components: object[]) => ({ type: 1, components });
const label = (component: object, more: object = {}) => ({ type: 18, label: 'Text', component, ...more });
const input = (more: object = {}) => ({ type: 4, custom_id: 'text', style: 1, ...more });
const modal = (more: object = {}) => ({
  type: 9,
  data: { custom_id: 'asked', title: 'A question', components: [label(input())], ...more },
});

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

const BAD_CALLBACKS: readonly [title: string, body: object, at: string, code: string][] = [
  ['rule 29: a deferral with another flag', { type: 5, data: { flags: 4 } }, 'flags', 'BASE_TYPE_CHOICES'],
  ['rule 29: a deferral with V2', { type: 5, data: { flags: 64 | 32768 } }, 'flags', 'BASE_TYPE_CHOICES'],
  ['rule 29: a deferral with text for data', { type: 5, data: 'x' }, '', 'MODEL_TYPE_CONVERT'],
  [
    'rule 30: a flag that cannot be set',
    { type: 4, data: { content: 'x', flags: 128 } },
    'flags',
    'BASE_TYPE_CHOICES',
  ],
  ['rule 32: content of 2001', { type: 4, data: { content: text(2001) } }, 'content', 'BASE_TYPE_MAX_LENGTH'],
  [
    'rule 33: eleven embeds',
    { type: 4, data: { embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) } },
    'embeds',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 33: a title of 257',
    { type: 4, data: { embeds: [{ title: text(257) }] } },
    'embeds.0.title',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 33: 26 fields',
    {
      type: 4,
      data: { embeds: [{ fields: Array.from({ length: 26 }, () => ({ name: 'n', value: 'v' })) }] },
    },
    'embeds.0.fields',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 33: 6001 characters in embeds',
    { type: 4, data: { embeds: [{ description: text(4000) }, { description: text(2001) }] } },
    'embeds',
    'MAX_EMBED_SIZE_EXCEEDED',
  ],
  [
    'rule 33: a field without a value',
    { type: 4, data: { embeds: [{ fields: [{ name: 'n', value: ' ' }] }] } },
    'embeds.0.fields.0.value',
    'BASE_TYPE_REQUIRED',
  ],
  [
    'rule 34: six buttons in a row',
    {
      type: 4,
      data: { components: [row(...Array.from({ length: 6 }, (_, i) => button({ custom_id: `b${i}` })))] },
    },
    'components.0.components',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 34: six rows',
    {
      type: 4,
      data: { components: Array.from({ length: 6 }, (_, i) => row(button({ custom_id: `b${i}` }))) },
    },
    'components',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 34: a label of 81',
    { type: 4, data: { components: [row(button({ label: text(81) }))] } },
    'components.0.components.0.label',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 34: a link without an address',
    { type: 4, data: { components: [row({ type: 2, style: 5, label: 'x' })] } },
    'components.0.components.0.url',
    'BUTTON_COMPONENT_URL_REQUIRED',
  ],
  [
    'rule 34: a value twice in a select',
    {
      type: 4,
      data: {
        components: [
          row({ type: 3, custom_id: 's', options: ['a', 'b'].map((l) => ({ label: l, value: 'v' })) }),
        ],
      },
    },
    'components.0.components.0.options.1',
    'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
  ],
  [
    'rule 34: a select without options',
    { type: 4, data: { components: [row({ type: 3, custom_id: 's', options: [] })] } },
    'components.0.components.0.options',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 35: a custom id of 101',
    { type: 4, data: { components: [row(button({ custom_id: text(101) }))] } },
    'components.0.components.0.custom_id',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 35: the same custom id twice',
    { type: 4, data: { components: [row(button(), button({ disabled: true }))] } },
    'components.0.components.1.custom_id',
    'COMPONENT_CUSTOM_ID_DUPLICATED',
  ],
  [
    'rule 36: a text display without the flag',
    { type: 4, data: { components: [{ type: 10, content: 'x' }] } },
    'components.0',
    'UNION_TYPE_CHOICES',
  ],
  [
    'rule 36: 41 components',
    {
      type: 4,
      data: {
        flags: 32768,
        components: [
          { type: 17, components: Array.from({ length: 40 }, () => ({ type: 10, content: 'x' })) },
        ],
      },
    },
    'components',
    'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
  ],
  [
    'rule 36: 4001 characters in all',
    {
      type: 4,
      data: {
        flags: 32768,
        components: [
          { type: 10, content: text(4000) },
          { type: 10, content: 'x' },
        ],
      },
    },
    'components',
    'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
  ],
  [
    'rule 36: a section without an accessory',
    { type: 4, data: { flags: 32768, components: [{ type: 9, components: [{ type: 10, content: 'x' }] }] } },
    'components.0.accessory',
    'BASE_TYPE_REQUIRED',
  ],
  [
    'rule 36: a picture of a file that is not there',
    {
      type: 4,
      data: { flags: 32768, components: [{ type: 12, items: [{ media: { url: 'attachment://a.png' } }] }] },
    },
    'components.0.items.0.media.url',
    'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
  ],
  [
    'rule 36: content beside V2 components',
    { type: 4, data: { flags: 32768, content: 'x', components: [{ type: 10, content: 'x' }] } },
    'content',
    'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  ],
  [
    'rule 36: an empty container',
    { type: 4, data: { flags: 32768, components: [{ type: 17, components: [] }] } },
    'components.0.components',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 37: six components in a modal',
    modal({ components: Array.from({ length: 6 }, (_, i) => label(input({ custom_id: `f${i}` }))) }),
    'components',
    'BASE_TYPE_BAD_LENGTH',
  ],
  ['rule 37: a title of 46', modal({ title: text(46) }), 'title', 'BASE_TYPE_BAD_LENGTH'],
  [
    'rule 37: a labelled input in a label',
    modal({ components: [label(input({ label: 'x' }))] }),
    'components.0.component.label',
    'TEXT_INPUT_LABEL_IN_LABEL',
  ],
  ['rule 37: a custom id of 101', modal({ custom_id: text(101) }), 'custom_id', 'BASE_TYPE_BAD_LENGTH'],
  [
    'rule 37: a label of 46',
    modal({ components: [label(input(), { label: text(46) })] }),
    'components.0.label',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 37: a minimum above the maximum',
    modal({ components: [label(input({ min_length: 3, max_length: 2 }))] }),
    'components.0.component.min_length',
    'NUMBER_TYPE_MAX',
  ],
  [
    'rule 37: a disabled field',
    modal({ components: [label({ type: 5, custom_id: 'who', disabled: true })] }),
    'components.0.component.disabled',
    'COMPONENT_DISABLED_IN_MODAL',
  ],
  [
    'rule 37: a required field that takes nothing',
    modal({ components: [label({ type: 5, custom_id: 'who', min_values: 0 })] }),
    'components.0.component.min_values',
    'NUMBER_TYPE_MIN',
  ],
  [
    'rule 37: a button in a modal',
    modal({ components: [label(button())] }),
    'components.0.component',
    'UNION_TYPE_CHOICES',
  ],
  [
    'rule 44: users both parsed and listed',
    {
      type: 4,
      data: { content: 'x', allowed_mentions: { parse: ['users'], users: ['123456789012345678'] } },
    },
    'allowed_mentions',
    'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
  ],
];

describe('answers to a command that break a rule', () => {
  it.each(BAD_CALLBACKS)('%s', async (title, body, at, code) => {
    const command = await start(person.slash('ping'));
    const answer = await reply(command, body);
    expect(answer).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(answer.json.errors, at === '' ? 'data' : `data.${at}`)).toBe(code);
    expect(broken()).toEqual([ruleIn(title)]);
    const error = await errorThroughDiscordJs(asIs(body), () => person.slash('ping'));
    expect(error).toMatchObject({ status: 400, code: 50035, rawError: answer.json });
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
    ['a name of 101', choices(1, { name: text(101) }), 'choices.0.name', 'BASE_TYPE_BAD_LENGTH'],
    ['a value of 101', choices(1, { value: text(101) }), 'choices.0.value', 'BASE_TYPE_MAX_LENGTH'],
    ['a number for a text option', choices(1, { value: 5 }), 'choices.0.value', 'STRING_TYPE_CONVERT'],
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
