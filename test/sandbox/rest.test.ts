import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Denial } from '../../sandbox/discord/rest/denial.ts';
import {
  CHOICE_RULES,
  COMMAND_RULES,
  checkChoices,
  checkCommands,
  checkMessage,
  checkModal,
  checkResponse,
  MESSAGE_RULES,
  MODAL_RULES,
  PUBLISHED_SCHEMA,
  RESPONSE_RULES,
  type SentMessage,
} from '../../sandbox/discord/rest/rules.ts';
import { createTestClock } from '../support/machine.ts';
import { COMMANDS, openRawBot, raw, type SentInteraction } from './support/raw.ts';

const button = { type: 2, style: 1, label: 'Press', custom_id: 'press' };
const link = { type: 2, style: 5, label: 'Look', url: 'https://example.com/' };
const options = [
  { label: 'A', value: 'a' },
  { label: 'B', value: 'b' },
];
const select = { type: 3, custom_id: 'pick', options };
const row = (...components: object[]) => ({ type: 1, components });
const rows = (...components: object[]) => ({ components: components.map((one) => row(one)) });
const input = { type: 4, custom_id: 'text', style: 1 };
const label = (component: object) => ({ type: 18, label: 'Text', component });
const uploading = { type: 19, custom_id: 'file' };
const modal = (...components: object[]) => ({ custom_id: 'm', title: 'Title', components });
const option = { type: 3, name: 'what', description: 'What' };
const command = { name: 'read', description: 'Reads' };
const long = 'x'.repeat(101);
const longest = Array.from({ length: 25 }, (_, n) => ({
  name: `${n}`.padEnd(100, 'x'),
  value: `${n}`.padEnd(100, 'x'),
}));

const message = (body: object, more: Partial<SentMessage> = {}) =>
  checkMessage({
    request: 'response',
    body,
    files: [],
    current: undefined,
    ...more,
  });
const file = (mebibytes: number, id = 0) => ({ id, bytes: new Uint8Array(mebibytes * 1024 * 1024) });

it('the simulated Discord counts an emoji as one character', () => {
  expect(message({ content: '😀'.repeat(2_000) })).toBeUndefined();
});

/** Examples that break a rule, by the rule's title. */
const BROKEN: Readonly<Record<string, readonly (Denial | undefined)[]>> = {
  [PUBLISHED_SCHEMA]: [
    message({ content: 'x'.repeat(2_001) }),
    message({ embeds: Array(11).fill({ title: 'a' }) }),
    message(rows({ ...button, custom_id: long })),
    message(rows({ ...select, options: [] })),
    checkChoices({ choices: Array.from({ length: 26 }, (_, n) => ({ name: `${n}`, value: `${n}` })) }),
    checkModal({ ...modal(label(input)), title: 'x'.repeat(46) }),
    checkModal(undefined),
    checkModal(modal(uploading)),
    checkModal(modal(label({ ...select, options: [] }))),
    checkModal(modal(label({ ...uploading, max_values: 11 }))),
    checkCommands([{ ...command, description: long }]),
    checkCommands([{ ...command, contexts: [7] }]),
    checkCommands({}),
  ],
  'A message is not empty': [
    message({}),
    message({ content: ' ', components: [] }),
    message({ content: null }, { request: 'edit', current: { content: 'words' } }),
  ],
  'A flag can be set in this request': [
    message({ content: 'a', flags: 128 }),
    message({ content: 'a', flags: 64 }, { request: 'post' }),
    message({ content: 'a', flags: 64 }, { request: 'edit', current: { content: 'public' } }),
  ],
  'Embeds have at most 6,000 characters together': [
    message({ embeds: [{ description: 'x'.repeat(4_000) }, { description: 'x'.repeat(2_001) }] }),
  ],
  'An embed is not empty, and its fields have names and values': [
    message({ embeds: [{ color: 1 }] }),
    message({ embeds: [{ title: 'a', fields: [{ name: 'a', value: ' ' }] }] }),
  ],
  'Components are in at most five rows, each of buttons or one select': [
    message({ components: [1, 2, 3, 4, 5, 6].map((id) => row({ ...button, custom_id: `${id}` })) }),
    message({ components: [{ type: 10, content: 'words' }] }),
    message({ components: [row(button, select)] }),
  ],
  'Custom ids are unique': [message(rows(button, button)), checkModal(modal(label(input), label(input)))],
  'A button has a label, and either a custom id or a URL': [
    message(rows({ ...button, label: '' })),
    message(rows({ ...button, custom_id: undefined })),
    message(rows({ ...link, custom_id: 'a' })),
    message(rows({ ...button, url: 'https://example.com/' })),
  ],
  'A select offers at least as many different options as can be chosen': [
    checkModal(modal(label({ ...select, options: [...options, ...options] }))),
    message(rows({ ...select, max_values: 3 })),
    message(rows({ ...select, min_values: 2 })),
    message(rows({ ...select, options: [options[0], options[0]] })),
    message(rows({ ...select, options: options.map((one) => ({ ...one, default: true })) })),
  ],
  'Mentions are allowed by kind or by id, but not both': [
    message({ content: 'a', allowed_mentions: { parse: ['roles'], roles: ['123456789012345678'] } }),
  ],
  'A listed attachment exists': [message({ content: 'a', attachments: [{ id: 1 }] }, { files: [file(1)] })],
  'At most ten files, of at most 10 MiB each and 25 MiB together': [
    message({}, { files: [file(11)] }),
    message({}, { files: [file(9), file(9, 1), file(9, 2)] }),
    message({}, { files: Array.from({ length: 11 }, (_, n) => file(0, n)) }),
  ],
  'An interaction accepts this type of response': [
    checkResponse({ kind: 2, hasSource: false, body: {} }),
    checkResponse({ kind: 2, hasSource: false, body: { type: 7 } }),
    checkResponse({ kind: 4, hasSource: false, body: { type: 5 } }),
    checkResponse({ kind: 5, hasSource: true, body: { type: 9 } }),
  ],
  'A deferred response only sets whether it is private': [
    checkResponse({ kind: 2, hasSource: false, body: { type: 5, data: { flags: 4 } } }),
  ],
  'The value of a choice is a string of 1 to 100 characters': [
    checkChoices({ choices: [{ name: 'A', value: long }] }),
    checkChoices({ choices: [{ name: 'A', value: '' }] }),
  ],
  'Names of choices are unique': [
    checkChoices({
      choices: [
        { name: 'A', value: 'a' },
        { name: 'A', value: 'b' },
      ],
    }),
  ],
  'A modal has one to five parts': [
    checkModal(modal(...[1, 2, 3, 4, 5, 6].map((id) => label({ ...input, custom_id: `${id}` })))),
  ],
  'A text input does not have its own label, and its minimum length does not exceed its maximum': [
    checkModal(modal(label({ ...input, label: 'again' }))),
    checkModal(modal(label({ ...input, min_length: 5, max_length: 4 }))),
  ],
  'A field of a modal is enabled, and needs a choice if it is required': [
    checkModal(modal(label({ ...select, disabled: true }))),
    checkModal(modal(label({ ...uploading, min_values: 0 }))),
  ],
  'File types are groups or extensions': [checkModal(modal(label({ ...uploading, file_types: ['csv'] })))],
  'Names are in lower case, without spaces, in every language': [
    checkCommands([{ ...command, name: 'Read' }]),
    checkCommands([{ ...command, name_localizations: { de: 'zwei Worte' } }]),
    checkCommands([{ ...command, options: [{ ...option, name: 'A' }] }]),
  ],
  'Only slash commands have descriptions, of 1 to 100 characters in every language': [
    checkCommands([{ name: 'read' }]),
    checkCommands([{ ...command, type: 3 }]),
  ],
  'Every language is one that Discord supports': [
    checkCommands([{ ...command, name_localizations: { xx: 'a' } }]),
  ],
  'Required options come before the others': [
    checkCommands([{ ...command, options: [option, { ...option, name: 'b', required: true }] }]),
  ],
  'Names of options are unique in every language': [
    checkCommands([{ ...command, options: [option, option] }]),
    checkCommands([
      { ...command, options: [option, { ...option, name: 'b', name_localizations: { de: 'what' } }] },
    ]),
  ],
  'An option has autocomplete or choices, but not both': [
    checkCommands([
      { ...command, options: [{ ...option, autocomplete: true, choices: [{ name: 'A', value: 'a' }] }] },
    ]),
  ],
  'A command has at most 8,000 characters': [
    checkCommands([
      { ...command, options: ['a', 'b'].map((name) => ({ ...option, name, choices: longest })) },
    ]),
  ],
  'Names of commands differ': [checkCommands([command, command])],
};

describe("the simulated Discord's validation", () => {
  it.each(Object.entries(BROKEN))('enforces the rule "%s"', (title, denials) => {
    for (const denial of denials) {
      expect(denial).toMatchObject({ status: 400, code: 50035, title });
      expect(denial?.message).toMatch(/✖|expected|read/);
    }
  });

  it('has a test for every rule', () => {
    const rules = [MESSAGE_RULES, RESPONSE_RULES, CHOICE_RULES, MODAL_RULES, COMMAND_RULES].flat();
    for (const { title } of rules) expect(BROKEN).toHaveProperty([title]);
  });
});

describe('the simulated REST API', () => {
  async function open(options?: Parameters<typeof openRawBot>[0]) {
    const bot = await openRawBot(options);
    onTestFinished(() => bot.standIn.close());
    const { standIn, person, respond, nextInteraction } = bot;
    /** Runs /read as the user. @returns the interaction */
    async function asked(): Promise<SentInteraction> {
      void person.slash('read');
      return nextInteraction();
    }
    return {
      ...bot,
      asked,
      async deferred(): Promise<SentInteraction> {
        const interaction = await asked();
        await respond(interaction, { type: 5 });
        return interaction;
      },
      broken: () => standIn.breaches.map(({ title }) => title),
      ask: (request: string, sent?: Parameters<typeof raw>[2]) => raw(standIn, request, sent),
      seen: () => standIn.messages(person).map(({ current }) => current),
    };
  }

  it('reports which part of a request is invalid', async () => {
    const { standIn, respond, asked } = await open();
    const interaction = await asked();
    const refused = await respond(interaction, {
      type: 4,
      data: { components: [row({ ...button, label: '' })] },
    });
    expect(refused).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(refused.text).toContain('at data.components[0].components[0]');
    expect(standIn.breaches).toMatchObject([
      { title: 'A button has a label, and either a custom id or a URL', method: 'POST', status: 400 },
    ]);
    // After a rejected body, the bot can still respond.
    expect((await respond(interaction, { type: 5 })).status).toBe(204);
  });

  it.each([
    ['an unknown route', 'GET /users/@me', {}, '404: Not Found'],
    [
      'a client without the user agent of a bot',
      'GET /gateway/bot',
      { headers: { 'user-agent': 'curl' } },
      'internal network error',
    ],
    ['another token', 'GET /gateway/bot', { headers: { authorization: 'Bot x' } }, '401: Unauthorized'],
    [
      'another application',
      'GET /applications/1/commands',
      {},
      'You are not authorized to perform this action.',
    ],
    [
      'a body that is not JSON',
      'POST /interactions/1/a/callback',
      { body: '{', headers: { 'content-type': 'application/json' } },
      'The request body contains invalid JSON.',
    ],
    ['an unknown token', 'POST /interactions/1/a/callback', { json: { type: 5 } }, 'Unknown interaction'],
  ] as const)('rejects %s', async (_what, request, sent, title) => {
    const { broken, ask } = await open();
    expect((await ask(request, sent)).status).toBeGreaterThanOrEqual(400);
    expect(broken()).toEqual([title]);
  });

  it('preserves the ids of republished commands', async () => {
    const { standIn, ask } = await open();
    const commandsPath = `/applications/${standIn.applicationId}/commands`;
    const before = standIn.commands().map(({ id }) => id);
    const json = COMMANDS.map((one) => ({ ...one, name_localizations: { de: one.name, fr: 'lire' } }));
    await ask(`PUT ${commandsPath}`, { json: json.toReversed() });
    expect(standIn.commands().map(({ id }) => id)).toEqual(before.toReversed());
    const { json: listed } = await ask(`GET ${commandsPath}?with_localizations=true`);
    expect(listed).toMatchObject([{ name: 'Use', name_localizations: { fr: 'lire' } }, {}, {}, {}]);
    expect(JSON.stringify(listed)).not.toContain('"de"');
    const { json: short } = await ask(`GET ${commandsPath}`);
    expect(JSON.stringify(short)).not.toContain('lire');
  });

  it("doesn't let a bot remove the entry point command", async () => {
    const { broken } = await open({ entryPoint: true });
    expect(broken()).toEqual(["You cannot remove this app's Entry Point command."]);
  });

  it('accepts one initial response per interaction, within three seconds', async () => {
    const { standIn, respond, asked, broken } = await open();
    const interaction = await asked();
    const taken = await respond(interaction, { type: 5 });
    expect([taken.status, taken.headers.get('content-type')]).toEqual([204, null]);
    // Repeating the same response isn't a breach, because the bot might not have received the result.
    for (const again of [{ type: 5 }, { type: 4, data: { content: 'again' } }])
      expect((await respond(interaction, again)).json).toMatchObject({ code: 40060 });
    const late = await asked();
    standIn.clock.advance(3_001);
    expect((await respond(late, { type: 5 })).json).toMatchObject({ code: 10062 });
    expect(broken()).toEqual(['Interaction has already been acknowledged.', 'Unknown interaction']);
  });

  it("returns 404 for a reply that doesn't exist yet", async () => {
    const { webhook, asked, broken } = await open();
    const interaction = await asked();
    expect((await webhook(interaction, 'GET /messages/@original')).json).toMatchObject({ code: 10015 });
    expect(broken()).toEqual([]);
    expect((await webhook(interaction, 'PATCH /messages/@original', { json: { content: 'a' } })).status).toBe(
      404,
    );
    expect(broken()).toEqual(['Unknown Webhook']);
  });

  it('replaces the loading message with the first follow-up', async () => {
    const { webhook, deferred, seen } = await open();
    const interaction = await deferred();
    await webhook(interaction, 'POST ', { json: { content: 'first', flags: 64 } });
    await webhook(interaction, 'POST ', { json: { content: 'second', flags: 64 } });
    expect(seen().map(({ content, flags }) => [content, flags])).toEqual([
      ['first', 0],
      ['second', 64],
    ]);
  });

  it('expires interaction tokens after 15 minutes', async () => {
    const { standIn, webhook, deferred } = await open();
    const interaction = await deferred();
    standIn.clock.advance(15 * 60_000 + 1);
    expect((await webhook(interaction, 'GET /messages/@original')).json).toMatchObject({ code: 50027 });
  });

  it('serves a file to anyone with the link for a day', async () => {
    const { standIn, webhook, deferred, seen } = await open();
    const interaction = await deferred();
    const body = new FormData();
    body.set('files[0]', new Blob(['first']), 'a.txt');
    body.set('payload_json', JSON.stringify({ content: 'a file' }));
    await webhook(interaction, 'PATCH /messages/@original', { body });
    const [file] = seen().at(-1)?.attachments ?? [];
    const get = async (agent: string) =>
      (await fetch(file?.url ?? '', { headers: { 'user-agent': agent } })).status;
    expect([await get('a'), await get('')]).toEqual([200, 403]);
    standIn.clock.advance(25 * 60 * 60_000);
    expect(await get('a')).toBe(404);
  });

  it('resets rate limits when the clock is set back', async () => {
    const { guild, ask } = await open();
    const clock = createTestClock();
    const post = () => ask(`POST /channels/${guild.channelId}/messages`, { json: { content: 'words' } });
    clock.advance(86_400_000);
    for (let n = 0; n < 5; n += 1) expect((await post()).status).toBe(200);
    clock.advance(-86_400_000);
    expect((await post()).status).toBe(200);
  });

  it('limits the number of requests per interaction', async () => {
    const { standIn, webhook, deferred, broken } = await open();
    const interaction = await deferred();
    const read = () => webhook(interaction, 'GET /messages/@original');
    for (let n = 0; n < 5; n += 1)
      expect((await read()).headers.get('x-ratelimit-remaining')).toBe(`${4 - n}`);
    const limited = await read();
    expect(limited).toMatchObject({ status: 429, json: { global: false } });
    expect(limited.headers.get('x-ratelimit-scope')).toBe('user');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(broken()).toEqual(['You are being rate limited.']);
    standIn.clock.advance(2_000);
    expect((await read()).status).toBe(200);
  });

  it('accepts messages only in channels where the bot can post', async () => {
    const { standIn, guild, broken, ask } = await open();
    const { guildEvents, channels } = standIn;
    const [general, staff] = channels(guild);
    const post = (id = '1', more: object = {}) =>
      ask(`POST /channels/${id}/messages`, { json: { content: 'words', ...more } });
    expect((await post(general?.id)).status).toBe(200);
    expect((await post()).json).toMatchObject({ code: 10003 });
    guildEvents.setBotPermissions(guild, staff?.id ?? '', 1n << 10n);
    expect((await post(staff?.id)).json).toMatchObject({ code: 50013 });
    guildEvents.setBotPermissions(guild, staff?.id ?? '', 0n);
    expect((await post(staff?.id)).json).toMatchObject({ code: 50001 });
    const same = { nonce: 'once', enforce_nonce: true };
    const [first, second] = [await post(general?.id, same), await post(general?.id, same)];
    expect(second.json).toEqual(first.json);
    expect(broken()).toEqual([]);
  });

  it("allows three edits to a channel's old messages every six seconds", async () => {
    const { standIn, guild, broken, ask } = await open();
    const path = `/channels/${guild.channelId}/messages`;
    const { id } = Object((await ask(`POST ${path}`, { json: { content: 'words' } })).json);
    const edit = () => ask(`PATCH ${path}/${id}`, { json: { content: 'changed' } });
    for (let n = 0; n < 5; n += 1) expect((await edit()).status).toBe(200);
    standIn.clock.advance(3_600_000);
    for (let n = 0; n < 3; n += 1) expect((await edit()).status).toBe(200);
    expect(await edit()).toMatchObject({ status: 429, json: { code: 30046, global: false } });
    standIn.clock.advance(6_000);
    expect((await edit()).status).toBe(200);
    expect(broken()).toEqual([]);
  });

  it('delivers direct messages only to users who accept them', async () => {
    const { standIn, guild, person, broken, ask } = await open();
    const { guildEvents, person: newPerson, rejectDirectMessages } = standIn;
    const openDirect = (json: object) => ask('POST /users/@me/channels', { json });
    const opened = await openDirect({ recipient_id: person.userId });
    const { id, type, recipients } = Object(opened.json);
    expect([type, recipients[0].username]).toEqual([1, 'mason']);
    expect((await openDirect({ recipient_id: person.userId })).json).toEqual(opened.json);
    const post = (json: object, channel = id) => ask(`POST /channels/${channel}/messages`, { json });
    const posted = Object((await post({ content: `done <@&${guild.id}>` })).json);
    expect([posted.channel_id, posted.mention_roles]).toEqual([id, []]);
    const edited = await ask(`PATCH /channels/${id}/messages/${posted.id}`, { json: { content: 'changed' } });
    expect(edited.json).toMatchObject({ content: 'changed' });

    const [, elsewhere] = standIn.guilds;
    const other = newPerson({ guild: elsewhere ?? guild, name: 'other', permissions: 0n });
    const theirs = Object((await openDirect({ recipient_id: other.userId })).json).id;
    expect((await post({ content: 'words' }, theirs)).status).toBe(200);
    if (elsewhere) guildEvents.remove(elsewhere);
    expect((await post({ content: 'words' }, theirs)).json).toMatchObject({ code: 50278 });
    rejectDirectMessages(person.userId);
    expect((await post({ content: 'words' })).json).toMatchObject({ code: 50007 });
    for (const [reason, code] of [
      ['opened too fast', 40003],
      ['flagged as spam', 20026],
    ] as const) {
      standIn.stopDirectMessages(reason);
      expect(await openDirect({ recipient_id: person.userId })).toMatchObject({
        status: 403,
        json: { code },
      });
    }
    standIn.stopDirectMessages(undefined);
    expect(broken()).toEqual([]);

    expect((await openDirect({ recipient_id: '123456789012345678' })).json).toMatchObject({ code: 50033 });
    expect((await openDirect({})).json).toMatchObject({ code: 50035 });
    expect((await openDirect({ recipient_id: person.userId, access_tokens: ['a'] })).status).toBe(400);
    expect((await post({})).json).toMatchObject({ code: 50007 });
    expect(broken()).toEqual([
      'Invalid Recipient(s)',
      'A direct message is for one recipient',
      'A direct message is for one recipient',
    ]);
  });

  it('pings only users and roles that allowed_mentions permits', async () => {
    const { standIn, guild, person, ask } = await open();
    const { guildEvents } = standIn;
    const free = guildEvents.addRole(guild, { name: 'free', mentionable: true });
    const closed = guildEvents.addRole(guild, { name: 'closed' });
    const content = `<@&${free}> <@&${closed}> <@${person.userId}> @everyone \`<@&${free}>\``;
    const pinged = async (allowed_mentions: object) => {
      const { json } = await ask(`POST /channels/${guild.channelId}/messages`, {
        json: { content, allowed_mentions },
      });
      const { mentions, mention_roles, mention_everyone } = Object(json);
      return [mentions.length, mention_roles, mention_everyone];
    };
    expect(await pinged({ parse: [] })).toEqual([0, [], false]);
    expect(await pinged({ parse: [], roles: [free, closed] })).toEqual([0, [free], false]);
    expect(await pinged({ parse: ['users', 'everyone'] })).toEqual([1, [], true]);
  });

  it('returns errors for unavailable guilds and guilds without the bot', async () => {
    const { standIn, guild, ask } = await open();
    const { guildEvents } = standIn;
    const about = async () => (await ask(`GET /guilds/${guild.id}`)).status;
    expect(await about()).toBe(200);
    for (const [become, status] of [
      [guildEvents.outage, 503],
      [guildEvents.keepCommandsOnly, 403],
      [guildEvents.remove, 404],
    ] as const) {
      become(guild);
      expect(await about()).toBe(status);
    }
  });

  it('injects a fault only into requests with a matching path', async () => {
    const { standIn, ask } = await open();
    standIn.faults.inject({ fault: { kind: 'status', status: 500 }, path: /^\/users/ });
    expect((await ask('GET /gateway/bot')).status).toBe(200);
    expect((await ask('GET /users/@me')).status).toBe(500);
  });

  it('can make open connections hang without affecting new ones', async () => {
    const { standIn } = await open();
    const { apiUrl, faults } = standIn;
    const dispatcher = new Agent({ connections: 1 });
    const headers = { 'user-agent': 'DiscordBot (x, 1)' };
    const once = (more: object) =>
      request(`${apiUrl}/v10/gateway/bot`, { headers, dispatcher, ...more }).then(({ body }) => body.text());
    await once({});
    faults.silenceConnections();
    const before = standIn.requests.length;
    await expect(once({ signal: AbortSignal.timeout(200) })).rejects.toThrow();
    expect(standIn.requests).toHaveLength(before);
    expect(await once({ dispatcher: new Agent() })).toContain('Unauthorized');
    await dispatcher.destroy();
  });

  it("detects encoded secrets in the bot's requests", async () => {
    const { standIn, webhook, deferred } = await open();
    const interaction = await deferred();
    for (const content of ['it is se"cret', Buffer.from('se"cret').toString('base64')])
      await webhook(interaction, 'POST ', { json: { content } });
    expect(standIn.findSecret('se"cret')).toHaveLength(2);
    expect(standIn.findSecret('another')).toEqual([]);
  });

  it('throws on close if a response was invalid', async () => {
    const { standIn } = await openRawBot();
    const { id } = standIn.guildEvents.add({ name: 'odd', locale: 'xx' });
    await raw(standIn, `GET /guilds/${id}`);
    await expect(standIn.close()).rejects.toThrow('preferred_locale');
  });
});
