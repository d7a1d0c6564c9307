import { type Client, DiscordAPIError, PermissionFlagsBits, REST, Routes } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import { startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import { USUAL_BOT_PERMISSIONS } from '../../../../sandbox/discord/world/channels.ts';
import { codeAt, identified, nextInteraction, raw } from '../support/raw.ts';
import { connect, SMALL_COMMANDS, smallBot, TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let client: Client | undefined;

beforeEach(async () => {
  standIn = await startDiscord({ token: TOKEN });
});

afterEach(async () => {
  await client?.destroy();
  client = undefined;
  await standIn.close();
});

const broken = () => standIn.breaches.map(({ rule }) => rule);

function member(): Person {
  const [guild] = standIn.guilds;
  if (guild === undefined) throw new Error('no guild');
  return standIn.person({ guild, name: 'mason', permissions: 0n });
}

/** An interaction that waits for its answer, and where to send it. */
async function waiting(): Promise<{ callback: string; webhook: string; answer: Promise<unknown> }> {
  const path = `/applications/${standIn.applicationId}/commands`;
  await raw(standIn, `PUT ${path}`, { json: [{ name: 'ping', description: 'Ping' }] });
  const gateway = await identified(standIn);
  const answer = member().slash('ping');
  const { id, token } = await nextInteraction(gateway);
  return {
    callback: `/interactions/${id}/${token}/callback`,
    webhook: `/webhooks/${standIn.applicationId}/${token}`,
    answer,
  };
}

describe('rule 1: only version 10, known paths and known methods', () => {
  it('refuses another version with 400 and 50041', async () => {
    const answer = await raw(standIn, 'GET /api/v9/users/@me');
    expect(answer).toMatchObject({ status: 400, json: { code: 50041 } });
    const unversioned = await raw(standIn, 'GET /api/users/@me');
    expect(unversioned).toMatchObject({ status: 400, json: { code: 50041 } });
    expect(broken()).toEqual([1, 1]);
  });

  it('refuses an unknown path with 404 and an unknown method with 405', async () => {
    const unknown = await raw(standIn, 'GET /nothing/here');
    expect(unknown).toMatchObject({ status: 404, json: { message: '404: Not Found', code: 0 } });
    expect(await raw(standIn, 'PUT /users/@me')).toMatchObject({ status: 405, json: { code: 0 } });
  });

  it('refuses a path that cannot be decoded, and a page that cannot be', async () => {
    expect(await raw(standIn, 'GET /webhooks/1/%E0%A4%A/messages/@original')).toMatchObject({
      status: 404,
      json: { code: 0 },
    });
    for (const limit of ['0', '201', 'many']) {
      const answer = await raw(standIn, `GET /users/@me/guilds?limit=${limit}`);
      expect(answer).toMatchObject({ status: 400, json: { code: 50035 } });
      expect(codeAt(answer.json.errors, 'limit')).toBe('NUMBER_TYPE_MAX');
    }
    const answer = await raw(standIn, 'GET /users/@me/guilds?after=first');
    expect(codeAt(answer.json.errors, 'after')).toBe('NUMBER_TYPE_COERCE');
    expect(broken()).toEqual([1, 1, 1, 1, 10]);
  });

  it('is seen by discord.js as well', async () => {
    const rest = new REST({ api: standIn.apiUrl, version: '9' }).setToken(TOKEN);
    await expect(rest.get(Routes.user())).rejects.toMatchObject({ status: 400, code: 50041 });
    const rest10 = new REST({ api: standIn.apiUrl }).setToken(TOKEN);
    await expect(rest10.get('/nothing')).rejects.toMatchObject({ status: 404, code: 0 });
  });
});

describe('rule 2: authorization', () => {
  it('answers 401 without the bot token', async () => {
    for (const authorization of [null, 'Bot wrong', TOKEN, `Bearer ${TOKEN}`]) {
      const answer = await raw(standIn, 'GET /gateway/bot', { headers: { authorization } });
      expect(answer).toMatchObject({ status: 401, json: { message: '401: Unauthorized', code: 0 } });
    }
    const rest = new REST({ api: standIn.apiUrl }).setToken('ddd.eee.fff');
    await expect(rest.get(Routes.user())).rejects.toMatchObject({ status: 401 });
  });

  it('asks for none on interaction routes', async () => {
    const { callback, webhook } = await waiting();
    const headers = { authorization: null };
    const json = { type: 4, data: { content: 'pong' } };
    expect((await raw(standIn, `POST ${callback}`, { json, headers })).status).toBe(204);
    expect((await raw(standIn, `GET ${webhook}/messages/@original`, { headers })).status).toBe(200);
  });
});

it('rule 3: turns away what does not name itself DiscordBot, with 403 and 40333', async () => {
  const answer = await raw(standIn, 'GET /users/@me', { headers: { 'user-agent': 'curl/8' } });
  expect(answer).toMatchObject({ status: 403, json: { code: 40333 } });
  expect(broken()).toEqual([3]);
  // discord.js always says so, but a `makeRequest` of one's own can lose it.
  const rest = new REST({
    api: standIn.apiUrl,
    makeRequest: (url, { method = 'GET' }) =>
      fetch(url, { method, headers: { 'user-agent': 'mine' } }) as never,
  }).setToken(TOKEN);
  await expect(rest.get(Routes.user())).rejects.toMatchObject({ status: 403, code: 40333 });
});

describe('rule 4: content types', () => {
  const path = () => `POST /applications/${standIn.applicationId}/commands`;

  it('refuses an unknown one with 400 and 50035', async () => {
    const answer = await raw(standIn, path(), { body: '{}', headers: { 'content-type': 'text/plain' } });
    expect(answer).toMatchObject({ status: 400, json: { code: 50035, message: 'Invalid Form Body' } });
    expect(codeAt(answer.json.errors, '')).toBe('CONTENT_TYPE_INVALID');
    const untyped = await raw(standIn, path(), { body: new Uint8Array([0x7b, 0x7d]) });
    expect(codeAt(untyped.json.errors, '')).toBe('CONTENT_TYPE_INVALID');
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const torn = await raw(standIn, path(), { body: 'no parts', headers });
    expect(codeAt(torn.json.errors, '')).toBe('CONTENT_TYPE_INVALID');
    expect(broken()).toEqual([4, 4, 4]);
  });

  it('takes a form', async () => {
    const { callback, webhook } = await waiting();
    await raw(standIn, `POST ${callback}`, { json: { type: 5 } });
    const answer = await raw(standIn, `POST ${webhook}`, {
      body: new URLSearchParams({ content: 'of a form' }),
    });
    expect(answer).toMatchObject({ status: 200, json: { content: 'of a form' } });
  });

  it('refuses broken JSON with 400 and 50109', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await raw(standIn, path(), { body: '{"name":', headers });
    expect(answer).toMatchObject({ status: 400, json: { code: 50109 } });
    const form = new FormData();
    form.set('payload_json', '{"name":');
    expect(await raw(standIn, path(), { body: form })).toMatchObject({ status: 400, json: { code: 50109 } });
    expect(broken()).toEqual([4, 4]);
  });

  it('is broken through discord.js by a body that it does not encode', async () => {
    const rest = new REST({ api: standIn.apiUrl }).setToken(TOKEN);
    const options = {
      body: '{"name":',
      passThroughBody: true,
      headers: { 'content-type': 'application/json' },
    };
    await expect(rest.post(Routes.applicationCommands(standIn.applicationId), options)).rejects.toMatchObject(
      {
        status: 400,
        code: 50109,
      },
    );
  });
});

describe('rule 5: files', () => {
  const file = (text: string) => new Blob([text], { type: 'text/plain' });

  it('takes the parts in any order', async () => {
    for (const payloadFirst of [true, false]) {
      const { callback, webhook } = await waiting();
      const form = new FormData();
      const json = {
        type: 4,
        data: { attachments: [{ id: 0, description: 'words', title: null, waveform: null }] },
      };
      if (payloadFirst) form.set('payload_json', JSON.stringify(json));
      form.set('files[0]', file('hello'), 'a.txt');
      if (!payloadFirst) form.set('payload_json', JSON.stringify(json));
      expect((await raw(standIn, `POST ${callback}`, { body: form })).status).toBe(204);
      const message = await raw(standIn, `GET ${webhook}/messages/@original`);
      expect(message.json.attachments).toMatchObject([
        { filename: 'a.txt', size: 5, content_type: 'text/plain', description: 'words' },
      ]);
      standIn.clock.advance(5_000);
    }
  });

  it('refuses an attachment without its file, and more than ten files', async () => {
    const { callback } = await waiting();
    const lost = { type: 4, data: { content: 'x', attachments: [{ id: 3 }] } };
    const answer = await raw(standIn, `POST ${callback}`, { json: lost });
    expect(answer).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(answer.json.errors, 'data.attachments.0.id')).toBe('MESSAGE_ATTACHMENT_NOT_FOUND');
    const form = new FormData();
    form.set('payload_json', JSON.stringify({ type: 4, data: {} }));
    for (let n = 0; n < 11; n += 1) form.set(`files[${n}]`, file('x'), `${n}.txt`);
    const eleven = await raw(standIn, `POST ${callback}`, { body: form });
    expect(eleven).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(eleven.json.errors, 'data.attachments')).toBe('BASE_TYPE_MAX_LENGTH');
    expect(broken()).toEqual([5, 5]);
  });

  it('refuses both through discord.js', async () => {
    const errors: unknown[] = [];
    client = await connect(standIn, async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      const files = Array.from({ length: 11 }, (_, n) => ({
        attachment: Buffer.from('x'),
        name: `${n}.txt`,
      }));
      await interaction.reply({ files }).catch((reason: unknown) => errors.push(reason));
      await interaction.reply('x');
      const attachments = [{ id: '123456789012345678' }];
      await interaction.editReply({ attachments }).catch((reason: unknown) => errors.push(reason));
      await interaction.followUp('that was all');
    });
    await client.application?.commands.set(SMALL_COMMANDS);
    await member().slash('ask');
    await expect.poll(() => errors).toHaveLength(2);
    for (const error of errors) expect(error).toMatchObject({ status: 400, code: 50035 });
    expect(broken()).toEqual([5, 5]);
  });

  it('refuses a file above 10 MiB with 413, through discord.js', async () => {
    let error: unknown;
    client = await connect(standIn, async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      const files = [{ attachment: Buffer.alloc(10 * 1024 * 1024 + 1), name: 'large.bin' }];
      await interaction.reply({ files }).catch((reason: unknown) => {
        error = reason;
      });
      await interaction.reply('too large');
    });
    await client.application?.commands.set(SMALL_COMMANDS);
    await member().slash('ask');
    expect(error).toBeInstanceOf(DiscordAPIError);
    expect(error).toMatchObject({ status: 413, code: 40005 });
  });
});

it('rule 6: an answer without a body has no content type', async () => {
  const { callback } = await waiting();
  const answer = await raw(standIn, `POST ${callback}`, { json: { type: 4, data: { content: 'x' } } });
  expect(answer.status).toBe(204);
  expect(answer.text).toBe('');
  expect(answer.headers.get('content-type')).toBeNull();
});

it('rule 7: ignores fields that it does not know', async () => {
  const { callback } = await waiting();
  const data = { content: 'x', tts: false, enforce_nonce: false, nonce: '1', never_heard_of: { a: 1 } };
  expect((await raw(standIn, `POST ${callback}`, { json: { type: 4, data, more: 1 } })).status).toBe(204);
  expect(broken()).toEqual([]);
});

it('rule 8: reads %40original as @original', async () => {
  const { callback, webhook } = await waiting();
  await raw(standIn, `POST ${callback}`, { json: { type: 4, data: { content: 'x' } } });
  const answer = await raw(standIn, `GET ${webhook}/messages/%40original`);
  expect(answer).toMatchObject({ status: 200, json: { content: 'x' } });
});

describe('rule 9: rate limit headers and 429s', () => {
  it('sends the five headers with every answer, also where there is no route', async () => {
    for (const request of ['GET /users/@me', 'GET /nothing', 'PUT /users/@me']) {
      const { headers } = await raw(standIn, request);
      for (const name of ['limit', 'remaining', 'reset', 'reset-after', 'bucket'])
        expect(headers.get(`x-ratelimit-${name}`)).not.toBeNull();
    }
  });

  it('answers the 51st request of a second with a global 429', async () => {
    const paths = ['GET /users/@me', 'GET /applications/@me'];
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => raw(standIn, paths[i % 2] ?? '')));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    const [first] = limited;
    expect(first?.json).toMatchObject({ global: true, message: 'You are being rate limited.' });
    expect(first?.json.retry_after).toBeGreaterThan(0);
    expect(Number(first?.headers.get('retry-after'))).toBe(1);
    expect(first?.headers.get('x-ratelimit-global')).toBe('true');
    expect(first?.headers.get('x-ratelimit-scope')).toBe('global');
    expect(new Set(broken())).toEqual(new Set([9]));
  });

  it('limits messages in a channel by the channel', async () => {
    const json = { content: 'x' };
    const [first, second] = standIn.guilds;
    const post = (channel: string | undefined) =>
      raw(standIn, `POST /channels/${channel}/messages`, { json });
    for (let n = 0; n < 5; n += 1) expect((await post(first?.channelId)).status).toBe(200);
    expect(await post(first?.channelId)).toMatchObject({ status: 429, json: { global: false } });
    expect((await post(second?.channelId)).status).toBe(200);
    standIn.clock.advance(5_000);
    expect((await post(first?.channelId)).status).toBe(200);
    expect(broken()).toEqual([9]);
  });

  it('injects each scope, and discord.js waits and asks again', async () => {
    const rest = new REST({ api: standIn.apiUrl }).setToken(TOKEN);
    for (const scope of ['user', 'shared', 'global'] as const) {
      standIn.faults.inject({ fault: { kind: 'rate limit', scope, retryAfterMs: 10 } });
      expect(await rest.get(Routes.user())).toMatchObject({ id: standIn.applicationId });
    }
    expect(standIn.requests.map(({ status }) => status)).toEqual([429, 200, 429, 200, 429, 200]);
    expect(broken()).toEqual([]);
  });

  it('injects a status, a reset, a hang and a lost answer', async () => {
    const rest = new REST({ api: standIn.apiUrl, timeout: 1_000, retries: 1 }).setToken(TOKEN);
    for (const fault of [
      { kind: 'status', status: 502 },
      { kind: 'hang' },
      { kind: 'delay', ms: 1_500 },
    ] as const) {
      standIn.faults.inject({ fault, path: /^\/users/, method: 'GET' });
      expect(await rest.get(Routes.user())).toMatchObject({ id: standIn.applicationId });
    }
    for (const kind of ['reset', 'answer lost'] as const) {
      standIn.faults.inject({ fault: { kind } });
      await expect(raw(standIn, 'GET /users/@me')).rejects.toThrow();
    }
    standIn.faults.inject({ fault: { kind: 'status', status: 500 } });
    standIn.faults.clear();
    expect((await raw(standIn, 'GET /users/@me')).status).toBe(200);
  });
});

it('rule 10: ids are strings of 17 to 19 digits that tell when they were made', async () => {
  client = await connect(standIn, smallBot);
  await client.application?.commands.set(SMALL_COMMANDS);
  const answer = await member().slash('buttons');
  if (answer.kind !== 'message') throw new Error(answer.kind);
  const made = (id: string) => Number(BigInt(id) >> 22n) + 1_420_070_400_000;
  const ids = [standIn.applicationId, answer.message.id, ...standIn.commands().map(({ id }) => id)];
  for (const id of ids) {
    expect(id).toMatch(/^\d{17,19}$/);
    expect(Math.abs(Date.now() - made(id))).toBeLessThan(2 * 60_000);
  }
  // Guilds and their channels are the same in every run, and so older than the run.
  for (const id of standIn.guilds.flatMap((guild) => [guild.id, guild.channelId])) {
    expect(id).toMatch(/^\d{17,19}$/);
    expect(made(id)).toBeLessThan(Date.now());
  }
});

describe('messages in a channel', () => {
  const post = (json: object) =>
    raw(standIn, `POST /channels/${standIn.guilds[0]?.channelId}/messages`, { json });

  it('cannot be ephemeral (rule 30), neither through discord.js', async () => {
    const json = { content: 'x', flags: 64 };
    const answer = await post(json);
    expect(answer).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(answer.json.errors, 'flags')).toBe('BASE_TYPE_CHOICES');
    const rest = new REST({ api: standIn.apiUrl }).setToken(TOKEN);
    const path = Routes.channelMessages(standIn.guilds[0]?.channelId ?? '');
    await expect(rest.post(path, { body: json })).rejects.toMatchObject({ rawError: answer.json });
    expect(broken()).toEqual([30, 30]);
  });

  it('rule 60: are there once under a nonce that is enforced, for some minutes', async () => {
    const [first, second] = [{ content: 'a', nonce: 'n1' }, { nonce: 7 }];
    const idOf = async (json: object) => (await post({ content: 'x', ...json })).json.id;
    const id = await idOf({ ...first, enforce_nonce: true });
    const again = await post({ content: 'another', nonce: 'n1', enforce_nonce: true });
    expect(again).toMatchObject({ status: 200, json: { id, content: 'a', nonce: 'n1' } });
    expect(await idOf(first)).not.toBe(id);
    expect(await idOf({ ...second, enforce_nonce: true })).not.toBe(id);
    standIn.clock.advance(10 * 60_000);
    expect(await idOf({ ...first, enforce_nonce: true })).not.toBe(id);
    const long = await post({ content: 'x', nonce: 'n'.repeat(26), enforce_nonce: true });
    expect(long).toMatchObject({ status: 400, json: { code: 50035, errors: { nonce: {} } } });
    expect(broken()).toEqual([60]);
  });

  it('ping whomever they name unless they say otherwise (rule 44)', async () => {
    const person = member();
    const content = `<@${person.userId}> <@&123456789012345678> @everyone`;
    expect((await post({ content })).json).toMatchObject({
      mentions: [{ id: person.userId, username: 'mason' }],
      mention_roles: ['123456789012345678'],
      mention_everyone: true,
    });
    expect((await post({ content, allowed_mentions: { parse: [] } })).json).toMatchObject({
      mentions: [],
      mention_roles: [],
      mention_everyone: false,
    });
  });

  it('ping a listed role that anyone may mention, or with the permission to mention all (rule 44)', async () => {
    const [guild] = standIn.guilds;
    if (guild === undefined) throw new Error('no guild');
    const role = standIn.guildEvents.addRole(guild, { name: 'closed' });
    const pinged = async (id: string) =>
      (await post({ content: `<@&${id}>`, allowed_mentions: { parse: [], roles: [id] } })).json.mention_roles;
    expect(await pinged(role)).toEqual([]);
    standIn.guildEvents.setMentionable(guild, role, true);
    expect(await pinged(role)).toEqual([role]);
    standIn.guildEvents.setMentionable(guild, role, false);
    const usual = USUAL_BOT_PERMISSIONS;
    standIn.guildEvents.setBotPermissions(
      guild,
      guild.channelId,
      usual | PermissionFlagsBits.MentionEveryone,
    );
    expect(await pinged(role)).toEqual([role]);
    expect(await pinged(guild.id)).toEqual([]);
    standIn.guildEvents.removeRole(guild, role);
    expect(await pinged(role)).toEqual([]);
    standIn.guildEvents.setBotPermissions(guild, guild.channelId, usual);
  });
});

describe('a channel, and a member', () => {
  const [VIEW, SEND] = [PermissionFlagsBits.ViewChannel, PermissionFlagsBits.SendMessages];
  const first = () => standIn.guilds[0] ?? { id: '', name: '', channelId: '' };
  const ask = (path: string) => raw(standIn, `GET ${path}`);

  it('say what of the bot’s permissions @everyone’s do not', async () => {
    const channel = () => ask(`/channels/${first().channelId}`);
    expect((await channel()).json).toMatchObject({
      type: 0,
      guild_id: first().id,
      permission_overwrites: [],
    });
    standIn.guildEvents.setBotPermissions(first(), first().channelId, USUAL_BOT_PERMISSIONS & ~SEND);
    expect((await channel()).json.permission_overwrites).toEqual([
      { id: standIn.applicationId, type: 1, allow: '0', deny: String(SEND) },
    ]);
    standIn.guildEvents.setBotPermissions(first(), first().channelId, USUAL_BOT_PERMISSIONS & ~VIEW);
    expect(await channel()).toMatchObject({ status: 403, json: { code: 50001 } });
    standIn.guildEvents.setBotPermissions(first(), first().channelId, USUAL_BOT_PERMISSIONS);
    const { json } = await ask(`/guilds/${first().id}`);
    expect(json.roles).toMatchObject([{ id: first().id, permissions: String(USUAL_BOT_PERMISSIONS) }]);
  });

  it('are refused where there are none, and no rule is broken', async () => {
    expect(await ask('/channels/123456789012345678')).toMatchObject({ status: 404, json: { code: 10003 } });
    const of = (guildId: string, userId: string) => ask(`/guilds/${guildId}/members/${userId}`);
    expect(await of(first().id, '123456789012345678')).toMatchObject({ status: 404, json: { code: 10007 } });
    expect(await of('123456789012345678', '1')).toMatchObject({ status: 404, json: { code: 10004 } });
    const bot = await of(first().id, standIn.applicationId);
    expect(bot).toMatchObject({ status: 200, json: { user: { id: standIn.applicationId }, roles: [] } });
    const person = member();
    expect((await of(first().id, person.userId)).json).toMatchObject({ user: { username: 'mason' } });
    expect(broken()).toEqual([]);
  });
});
