import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../sandbox/discord/contract.ts';
import { messageOf, textOf } from '../support/scene.ts';
import { type SmallBot, startSmallBot } from '../support/small-bot.ts';

let bot: SmallBot;
let member: Person;
const uncaught: unknown[] = [];
const note = (error: unknown) => uncaught.push(error);

beforeAll(async () => {
  process.on('uncaughtException', note).on('unhandledRejection', note);
  bot = await startSmallBot();
  const [guild] = bot.discord.guilds;
  if (!guild) throw new Error('the stand-in has no guild');
  member = bot.discord.person({ guild, name: 'member', permissions: 0n });
});
afterEach(() => {
  bot.discord.gateway.disturbDispatch({});
  expect(uncaught).toEqual([]);
});
afterAll(async () => {
  await bot.stop();
  process.off('uncaughtException', note).off('unhandledRejection', note);
});

type Json = Record<string, unknown>;
const ID = '1000000000000000001';
const user = { id: ID, username: 'mia', discriminator: '0', global_name: 'Mia', avatar: null };
const poll = (server: string) => ({
  question: { text: `Play on ${server}?` },
  answers: [{ answer_id: 1, poll_media: { text: `yes, ${server}`, emoji: { id: null, name: '👍' } } }],
  expiry: '2030-01-01T00:00:00+00:00',
  allow_multiselect: false,
  layout_type: 1,
  results: { is_finalized: false, answer_counts: [{ id: 1, count: 3, me_voted: false }] },
});
const display = (content: string) => ({ type: 10, id: 1, content });
const forwarded = (message: object) => ({
  content: '',
  message_reference: { type: 1, channel_id: ID, message_id: ID, guild_id: ID },
  message_snapshots: [{ message: { type: 0, embeds: [], attachments: [], flags: 0, ...message } }],
});

/** Sends an interaction with another message than the one that is there. */
function resolveAs(message: object): void {
  bot.discord.gateway.disturbDispatch({
    alter: (payload) => {
      const { data } = payload as { data: { resolved: { messages: Record<string, object> } } };
      for (const [id, now] of Object.entries(data.resolved.messages))
        data.resolved.messages[id] = { ...now, ...message };
      return payload;
    },
  });
}
const read = async () => textOf(await member.useOnMessage('Read', bot.discord.say(member, 'hello')));

describe('a command on a message', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'with a poll',
      { content: '', poll: poll('p1.example:1') },
      ['Play on p1.example:1?', 'yes, p1.example:1'],
    ],
    ['with a forwarded poll', forwarded({ content: '', poll: poll('p2.example:2') }), ['yes, p2.example:2']],
    [
      'with stickers',
      { content: 'a.example:3', sticker_items: [{ id: ID, name: 'x', format_type: 99 }] },
      ['a.example:3'],
    ],
    [
      'of Components V2',
      {
        content: '',
        flags: 1 << 15,
        components: [
          {
            type: 17,
            components: [
              display('b.example:4'),
              {
                type: 9,
                components: [display('b.example:5')],
                accessory: { type: 2, style: 5, label: 'join b.example:6', url: 'https://example.com' },
              },
              {
                type: 12,
                items: [{ media: { url: 'https://example.com/a.png' }, description: 'b.example:7' }],
              },
              { type: 14 },
            ],
          },
        ],
      },
      ['b.example:4', 'b.example:5', 'b.example:6', 'b.example:7'],
    ],
    [
      'that is a reply',
      {
        type: 19,
        content: 'c.example:8',
        message_reference: { type: 0, channel_id: ID, message_id: ID },
        referenced_message: { id: ID, channel_id: ID, author: user, poll: poll('d.example:1'), content: '' },
      },
      ['c.example:8'],
    ],
    [
      'that was forwarded',
      forwarded({ content: 'e.example:9', embeds: [{ fields: [{ name: 'ip', value: 'e.example:10' }] }] }),
      ['e.example:9', 'e.example:10'],
    ],
    ['that is a call', { type: 3, content: 'f.example:1', call: { participants: null } }, ['f.example:1']],
    [
      'of a type nobody knows',
      { type: 250, content: 'g.example:1', role_subscription_data: null },
      ['g.example:1'],
    ],
    [
      'with components nobody knows',
      {
        content: 'h.example:1',
        components: [
          { type: 99, content: 'h.example:2', components: [{ type: 98, label: 'h.example:3' }] },
          null,
        ],
      },
      ['h.example:1', 'h.example:2', 'h.example:3'],
    ],
    [
      'with an embed',
      {
        content: '',
        embeds: [
          {
            type: 'rich',
            author: { name: 'i.example:1' },
            title: 'i.example:2',
            description: 'i.example:3',
            footer: { text: 'i.example:4' },
          },
        ],
      },
      ['i.example:1', 'i.example:2', 'i.example:3', 'i.example:4'],
    ],
    [
      'with a select',
      {
        content: '',
        components: [
          {
            type: 1,
            components: [{ type: 3, custom_id: 's', options: [{ label: 'j.example:1', value: 'v' }] }],
          },
        ],
      },
      ['j.example:1'],
    ],
    [
      'whose fields are missing or null',
      { content: 'k.example:1', embeds: null, components: null, author: null, mentions: null },
      ['k.example:1'],
    ],
  ])('%s is carried out, and reads what people see', async (_what, message, seen) => {
    resolveAs(message);
    const answer = await read();
    expect(answer).toContain('read:');
    for (const text of seen) expect(answer).toContain(text);
  });

  it('is answered whatever the message is', async () => {
    await fc.assert(
      fc.asyncProperty(message(), async (odd) => {
        resolveAs(odd);
        expect(await read()).toMatch(/read:/);
      }),
      { numRuns: 150 },
    );
  });
});

const UNREADABLE = 'Discord sent something that this bot cannot read, so nothing was done.';

describe('what discord.js cannot build', () => {
  const kinds: [string, (payload: Json) => Json][] = [
    ['an unknown kind of interaction', (payload) => ({ ...payload, type: 77 })],
    ['an unknown kind of command', ({ data, ...rest }) => ({ ...rest, data: { ...Object(data), type: 78 } })],
    ['a command without its data', ({ data: _data, ...rest }) => rest],
    ['a user it cannot read', (payload) => ({ ...payload, member: { user: null } })],
    [
      'options it cannot read',
      ({ data, ...rest }) => ({ ...rest, data: { ...Object(data), options: [{ type: 99, options: 5 }] } }),
    ],
  ];

  it.each(kinds)('%s is answered with a sentence, and logged once', async (_what, alter) => {
    const before = bot.log.length;
    bot.discord.gateway.disturbDispatch({ alter: (payload) => alter(payload as Json) });
    const answers = [
      await member.slash('echo', { what: 'my secret' }),
      await member.slash('echo', { what: 'my secret' }),
    ];
    for (const answer of answers) {
      expect(textOf(answer)).toContain(UNREADABLE);
      expect(messageOf(answer).ephemeral).toBe(true);
    }
    const told = bot.log.slice(before).filter(({ message }) => message !== 'interaction');
    expect(told.map(({ level }) => level)).toEqual(['warn']);
    expect(JSON.stringify(bot.log)).not.toContain('my secret');
  });

  it('is answered with no choices while an option is typed', async () => {
    bot.discord.gateway.disturbDispatch({ alter: (payload) => ({ ...payload, data: { name: 'echo' } }) });
    expect(await member.complete('echo', 'what', { what: 'abc' })).toEqual([]);
  });

  it('is said in German too', async () => {
    const [guild] = bot.discord.guilds;
    if (!guild) throw new Error('the stand-in has no guild');
    const german = bot.discord.person({ guild, name: 'hans', permissions: 0n, locale: 'de' });
    bot.discord.gateway.disturbDispatch({ alter: (payload) => ({ ...payload, type: 77 }) });
    expect(textOf(await german.slash('echo', { what: 'x' }))).toContain('das dieser Bot nicht lesen kann');
  });
});

describe('what this bot never made', () => {
  it.each([5, 7])('a select of type %i is answered with a sentence', async (component_type) => {
    const echo = messageOf(await member.slash('echo', { what: 'x' }));
    bot.discord.gateway.disturbDispatch({
      alter: (payload) => ({
        ...payload,
        data: { ...Object(payload).data, component_type, values: [], resolved: {} },
      }),
    });
    expect(textOf(await member.pick(echo, ['a']))).toContain('no longer knows this command or button');
  });

  it('a component of an unknown type is answered with a sentence', async () => {
    const echo = messageOf(await member.slash('echo', { what: 'x' }));
    bot.discord.gateway.disturbDispatch({
      alter: (payload) => ({ ...payload, data: { ...Object(payload).data, component_type: 99 } }),
    });
    expect(textOf(await member.press(echo, 'Go'))).toContain(UNREADABLE);
  });
});

it('a button works whatever its message has become', async () => {
  const echo = messageOf(await member.slash('echo', { what: 'x' }));
  await fc.assert(
    fc.asyncProperty(message(), async (odd) => {
      bot.discord.gateway.disturbDispatch({
        alter: (payload) => ({ ...payload, message: { ...odd, id: ID, flags: 64 } }),
      });
      expect(textOf(await member.press(echo, 'Go'))).toContain('pressed');
    }),
    { numRuns: 60 },
  );
});

it('whatever an interaction holds, it is answered and nothing is thrown', async () => {
  await fc.assert(
    fc.asyncProperty(change(), async (alter) => {
      bot.discord.gateway.disturbDispatch({ alter });
      const answer = await member.useOnMessage('Read', bot.discord.say(member, 'hello'));
      expect(answer.kind).toBe('message');
    }),
    { numRuns: 150 },
  );
  // The bot is as well as before.
  bot.discord.gateway.disturbDispatch({});
  expect(await read()).toContain('read: hello');
});

/** Any JSON under the names that a message has. */
function message(): fc.Arbitrary<object> {
  const names = [
    ...[
      'type',
      'content',
      'embeds',
      'components',
      'attachments',
      'sticker_items',
      'stickers',
      'poll',
      'call',
    ],
    ...[
      'author',
      'mentions',
      'mention_channels',
      'reactions',
      'resolved',
      'thread',
      'flags',
      'edited_timestamp',
    ],
    ...[
      'message_reference',
      'message_snapshots',
      'referenced_message',
      'interaction',
      'interaction_metadata',
    ],
    ...['role_subscription_data', 'application', 'activity', 'webhook_id', 'timestamp', 'guild_id', 'member'],
  ];
  return fc.dictionary(fc.constantFrom(...names), fc.oneof(likely(), fc.jsonValue()), { maxKeys: 8 });
}

/** Parts of messages that discord.js builds something of, some of them bent. */
function likely(): fc.Arbitrary<unknown> {
  const whole = [
    poll('x.example:1'),
    [{ message: { content: 'x', poll: poll('x.example:1') } }],
    { id: ID, channel_id: ID, author: user, content: 'x', poll: poll('x.example:1') },
    [
      { type: 1, components: [{ type: 2, label: 'x' }] },
      { type: 17, components: [{ type: 99 }] },
    ],
    [{ id: ID, name: 'x', format_type: 1 }],
    [user],
    { users: { [ID]: user }, members: { [ID]: { roles: [] } } },
    { participants: [ID], ended_timestamp: 'never' },
  ];
  return fc.constantFrom<unknown>(...whole).chain((value) => fc.oneof(fc.constant(value), bent(value)));
}

/** The same JSON with one value in it, however deep, replaced by another, or taken out. */
function bent(value: unknown): fc.Arbitrary<unknown> {
  const paths = pathsOf(value);
  return fc
    .tuple(fc.nat(), fc.option(fc.jsonValue(), { nil: undefined }))
    .map(([at, other]) => replaced(value, paths[at % paths.length] ?? [], other));
}

/** Bends an interaction, but for what it is answered by. */
function change(): fc.Arbitrary<(payload: object) => object> {
  return fc
    .array(fc.tuple(fc.nat(), fc.option(fc.jsonValue(), { nil: undefined })), { minLength: 1, maxLength: 3 })
    .map((changes) => (payload) => {
      const { id, token, application_id, type, ...rest } = payload as Json;
      const odd = changes.reduce<unknown>((value, [at, other]) => {
        const paths = pathsOf(value).slice(1);
        return replaced(value, paths[at % paths.length] ?? ['data'], other);
      }, rest);
      return { ...Object(odd), id, token, application_id, type };
    });
}

type Path = readonly string[];

function pathsOf(value: unknown): Path[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [[], ...inner.flatMap(([key, child]) => pathsOf(child).map((path) => [key, ...path]))];
}

function replaced(value: unknown, [key, ...path]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  const child = replaced(Object(value)[key], path, other);
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? child : item));
  return { ...Object(value), [key]: child };
}
