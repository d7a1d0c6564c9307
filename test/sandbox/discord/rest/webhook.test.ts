import type { ChatInputCommandInteraction, Client } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import { codeAt, nextInteraction, type RawGateway, raw, rawBot } from '../support/raw.ts';
import { connect } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let person: Person;
let client: Client | undefined;

beforeEach(async () => {
  const commands = [{ name: 'ping', description: 'Ping', integration_types: [0, 1], contexts: [0, 1] }];
  ({ standIn, gateway, person } = await rawBot(commands));
});

afterEach(async () => {
  await client?.destroy();
  client = undefined;
  await standIn.close();
});

const broken = () => standIn.breaches.map(({ rule }) => rule);

/** A command that waits for its answer, and the routes of its token. */
async function start(who: Pick<Person, 'slash'> = person) {
  const answer = who.slash('ping');
  const { id, token } = await nextInteraction(gateway);
  const webhook = `/webhooks/${standIn.applicationId}/${token}`;
  return {
    answer,
    reply: (json: unknown) => raw(standIn, `POST /interactions/${id}/${token}/callback`, { json }),
    edit: (json: unknown, id = '@original') => raw(standIn, `PATCH ${webhook}/messages/${id}`, { json }),
    get: (id = '@original') => raw(standIn, `GET ${webhook}/messages/${id}`),
    remove: (id = '@original') => raw(standIn, `DELETE ${webhook}/messages/${id}`),
    followUp: (json: unknown) => raw(standIn, `POST ${webhook}?wait=true`, { json }),
    upload: (method: string, payload: unknown, ...names: string[]) => {
      const form = new FormData();
      for (const [n, name] of names.entries()) form.set(`files[${n}]`, new Blob([`of ${name}`]), name);
      form.set('payload_json', JSON.stringify(payload));
      return raw(standIn, `${method} ${webhook}${method === 'PATCH' ? '/messages/@original' : ''}`, {
        body: form,
      });
    },
  };
}

/** Lets a discord.js bot handle one command and returns what it threw. */
async function errorThroughDiscordJs(
  act: (interaction: ChatInputCommandInteraction) => Promise<unknown>,
  who: Pick<Person, 'slash'> = person,
): Promise<unknown> {
  await gateway.close();
  standIn.clock.advance(5_000);
  const told = Promise.withResolvers<unknown>();
  client = await connect(standIn, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await act(interaction).then(
      () => told.reject(new Error('no rule was broken')),
      (error: unknown) => told.resolve(error),
    );
  });
  void who.slash('ping');
  return told.promise;
}

const message = (content = 'x', flags = 0) => ({ type: 4, data: { content, flags } });
const unknownWebhook = { status: 404, json: { code: 10015, message: 'Unknown Webhook' } };
const unknownMessage = { status: 404, json: { code: 10008, message: 'Unknown Message' } };

describe('rule 39: what the token is good for', () => {
  it('is nothing before the answer, and nothing when the answer never came', async () => {
    const command = await start();
    expect(await command.edit({ content: 'x' })).toMatchObject(unknownWebhook);
    expect(await command.followUp({ content: 'x' })).toMatchObject(unknownWebhook);
    standIn.clock.advance(3_001);
    expect(await command.get()).toMatchObject(unknownWebhook);
    expect(broken()).toEqual([39, 39, 39]);
  });

  it('is nothing for an unknown token or another application', async () => {
    expect(await raw(standIn, `POST /webhooks/${standIn.applicationId}/unknown`, { json: {} })).toMatchObject(
      unknownWebhook,
    );
    const other = '/webhooks/123456789012345678/unknown/messages/@original';
    expect(await raw(standIn, `GET ${other}`)).toMatchObject(unknownWebhook);
  });

  it('ends after 15 minutes with 401 and 50027', async () => {
    const command = await start();
    await command.reply(message());
    standIn.clock.advance(14.9 * 60_000);
    expect((await command.edit({ content: 'in time' })).status).toBe(200);
    standIn.clock.advance(60_000);
    const expired = { status: 401, json: { code: 50027, message: 'Invalid Webhook Token' } };
    expect(await command.edit({ content: 'late' })).toMatchObject(expired);
    expect(await command.followUp({ content: 'late' })).toMatchObject(expired);
  });

  it('knows no message that is gone, of somebody else, or that a modal never was', async () => {
    const command = await start();
    await command.reply(message());
    const other = await start();
    await other.reply(message());
    const otherId = String((await other.get()).json.id);
    expect(await command.get(otherId)).toMatchObject(unknownMessage);
    expect((await command.remove()).status).toBe(204);
    expect(await command.edit({ content: 'x' })).toMatchObject(unknownMessage);
    const modal = await start();
    const components = [{ type: 18, label: 'Text', component: { type: 4, custom_id: 'text', style: 1 } }];
    await modal.reply({ type: 9, data: { custom_id: 'm', title: 'M', components } });
    expect(await modal.followUp({ content: 'x' })).toMatchObject(unknownWebhook);
    expect(await modal.get()).toMatchObject(unknownWebhook);
  });

  it('is nothing after choices', async () => {
    const options = [{ type: 3, name: 'what', description: 'x', autocomplete: true }];
    const json = { name: 'find', description: 'Find', options };
    await raw(standIn, `POST /applications/${standIn.applicationId}/commands`, { json });
    void person.complete('find', 'what', { what: 'x' });
    const { id, token } = await nextInteraction(gateway);
    const choices = { type: 8, data: { choices: [] } };
    expect((await raw(standIn, `POST /interactions/${id}/${token}/callback`, { json: choices })).status).toBe(
      204,
    );
    const path = `/webhooks/${standIn.applicationId}/${token}`;
    expect(await raw(standIn, `GET ${path}/messages/@original`)).toMatchObject(unknownWebhook);
    expect(await raw(standIn, `POST ${path}`, { json: { content: 'x' } })).toMatchObject(unknownWebhook);
  });

  it('tells discord.js with 10015, 10008 and 50027', async () => {
    const late = await errorThroughDiscordJs(async (interaction) => {
      await interaction.deferReply();
      standIn.clock.advance(16 * 60_000);
      await interaction.editReply('late');
    });
    expect(late).toMatchObject({ status: 401, code: 50027 });
    await client?.destroy();
    const gone = await errorThroughDiscordJs(async (interaction) => {
      await interaction.reply('x');
      await interaction.deleteReply();
      standIn.clock.advance(5_000);
      await interaction.editReply('gone');
    });
    expect(gone).toMatchObject({ status: 404, code: 10008 });
    await client?.destroy();
    const early = await errorThroughDiscordJs((interaction) =>
      interaction.webhook.editMessage('@original', 'early'),
    );
    expect(early).toMatchObject({ status: 404, code: 10015 });
  });
});

describe('rule 40: the first follow-up after a deferral', () => {
  it('is the deferred message, as private as it was deferred', async () => {
    for (const flags of [0, 64]) {
      const command = await start();
      await command.reply({ type: 5, data: { flags } });
      const original = await command.get();
      expect(original.json.flags).toBe(128 | flags);
      const first = await command.followUp({ content: 'first', flags: 64 - flags });
      expect(first).toMatchObject({ status: 200, json: { id: original.json.id, content: 'first', flags } });
      const second = await command.followUp({ content: 'second', flags: 64 });
      expect(second).toMatchObject({ status: 200, json: { content: 'second', flags: 64 } });
      expect(second.json.id).not.toBe(original.json.id);
    }
  });
});

it('rule 40: discord.js cannot make a public deferral private by its first follow-up', async () => {
  await gateway.close();
  standIn.clock.advance(5_000);
  client = await connect(standIn, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    await interaction.deferReply();
    await interaction.followUp({ content: 'meant for one', flags: 64 });
  });
  const answer = await person.slash('ping');
  expect(answer).toMatchObject({
    message: { ephemeral: false, current: { content: 'meant for one', flags: 0 } },
  });
});

describe('rule 41: what an edit cannot change', () => {
  it('is who sees the message', async () => {
    const command = await start();
    await command.reply(message('x', 64));
    expect((await command.edit({ content: 'y', flags: 0 })).json.flags).toBe(64);
    const open = await start();
    await open.reply(message());
    const refused = await open.edit({ content: 'y', flags: 64 });
    expect(refused).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(refused.json.errors, 'flags')).toBe('BASE_TYPE_CHOICES');
    expect(broken()).toEqual([41]);
  });

  it('is that it has V2 components, which need the old content emptied', async () => {
    const command = await start();
    await command.reply(message());
    const v2 = { flags: 32768, components: [{ type: 10, content: 'new' }] };
    const kept = await command.edit(v2);
    expect(codeAt(kept.json.errors, 'content')).toBeDefined();
    expect((await command.edit({ ...v2, content: null })).json).toMatchObject({ flags: 32768, content: '' });
    const back = await command.edit({ flags: 0, content: 'old' });
    expect(back.status).toBe(400);
  });

  it('tells discord.js', async () => {
    const error = await errorThroughDiscordJs(async (interaction) => {
      await interaction.reply('x');
      const body = { content: 'y', flags: 64 };
      const path = `/webhooks/${interaction.applicationId}/${interaction.token}/messages/@original` as const;
      await interaction.client.rest.patch(path, { body, auth: false });
    });
    expect(error).toMatchObject({
      status: 400,
      code: 50035,
      rawError: { errors: { flags: expect.anything() } },
    });
  });
});

describe('rule 42: edits', () => {
  it('keep what they do not name, end the loading, and return the whole message', async () => {
    const command = await start();
    await command.reply({ type: 5, data: { flags: 64 } });
    const embeds = [{ title: 'T' }];
    const edited = await command.edit({ content: ' trimmed ', embeds });
    expect(edited).toMatchObject({
      status: 200,
      json: {
        content: 'trimmed',
        flags: 64,
        embeds: [{ title: 'T', type: 'rich' }],
        application_id: standIn.applicationId,
        webhook_id: standIn.applicationId,
        interaction_metadata: { type: 2, user: { id: person.userId } },
        edited_timestamp: expect.any(String),
      },
    });
    expect((await command.edit({ embeds: null })).json).toMatchObject({ content: 'trimmed', embeds: [] });
    expect((await command.edit({ content: '' })).json).toMatchObject({ code: 50006 });
    expect((await command.edit({ content: 'x'.repeat(2001) })).json.code).toBe(50035);
  });

  it('keep the attachments that they list, and add new ones', async () => {
    const command = await start();
    await command.reply({ type: 5 });
    const first = await command.upload('PATCH', {}, 'a.txt', 'b.txt');
    const [a, b] = first.json.attachments as { id: string; url: string }[];
    const second = await command.upload('PATCH', { attachments: [{ id: b?.id }, { id: '0' }] }, 'c.txt');
    expect(second.json.attachments).toMatchObject([{ filename: 'b.txt' }, { filename: 'c.txt' }]);
    const unknown = await command.edit({ attachments: [{ id: a?.id }] });
    expect(unknown).toMatchObject({ status: 400, json: { code: 50035 } });
    const answer = await command.answer;
    if (answer.kind !== 'message') throw new Error(answer.kind);
    expect(answer.message.file('c.txt')?.toString()).toBe('of c.txt');
    expect(answer.message.file('a.txt')).toBeUndefined();
    expect(await (await fetch(b?.url ?? '')).text()).toBe('of b.txt');
  });

  it('are checked for discord.js as well', async () => {
    const error = await errorThroughDiscordJs(async (interaction) => {
      await interaction.deferReply();
      await interaction.editReply('x'.repeat(2001));
    });
    expect(error).toMatchObject({ status: 400, code: 50035 });
  });
});

it('rule 43: five follow-ups where the application is installed for a user only', async () => {
  const friend = standIn.personInDirectMessages({ name: 'friend', userInstall: true });
  const command = await start(friend);
  await command.reply(message());
  for (let n = 0; n < 5; n += 1) {
    expect((await command.followUp({ content: `${n}` })).status).toBe(200);
    standIn.clock.advance(1_000);
  }
  expect(await command.followUp({ content: 'sixth' })).toMatchObject({ status: 400, json: { code: 40094 } });
  expect(broken()).toEqual([43]);
  const error = await errorThroughDiscordJs(async (interaction) => {
    await interaction.reply('x');
    for (let n = 0; n < 6; n += 1) {
      standIn.clock.advance(2_000);
      await interaction.followUp(`${n}`);
    }
  }, friend);
  expect(error).toMatchObject({ status: 400, code: 40094 });
});

describe('rule 44: whom a message pings', () => {
  it('is users when nothing is said, and nobody when nobody is allowed', async () => {
    const command = await start();
    await command.reply(message(`<@${person.userId}> <@&${standIn.guilds[0]?.id}> @everyone`));
    const loud = await command.get();
    expect(loud.json).toMatchObject({
      mentions: [{ id: person.userId, username: 'mason' }],
      mention_roles: [],
      mention_everyone: false,
    });
    const quiet = await command.followUp({
      content: `<@${person.userId}> @everyone`,
      allowed_mentions: { parse: [] },
    });
    expect(quiet.json).toMatchObject({ mentions: [], mention_everyone: false });
    const everyone = await command.followUp({
      content: '@everyone',
      allowed_mentions: { parse: ['everyone'] },
    });
    expect(everyone.json).toMatchObject({ mention_everyone: true });
  });
});

describe('rule 45: five requests in two seconds for a token', () => {
  it('answers the sixth with 429 until the time is over', async () => {
    const command = await start();
    await command.reply(message());
    const first = await command.get();
    expect(first.headers.get('x-ratelimit-limit')).toBe('5');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('4');
    for (let n = 0; n < 4; n += 1) await command.get();
    const limited = await command.get();
    expect(limited).toMatchObject({
      status: 429,
      json: { global: false, message: 'You are being rate limited.' },
    });
    expect(limited.headers.get('x-ratelimit-scope')).toBe('user');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await start();
    await other.reply(message());
    expect((await other.get()).status).toBe(200);
    standIn.clock.advance(2_000);
    expect((await command.get()).status).toBe(200);
    expect(broken()).toEqual([45]);
  });

  it('does not count interaction routes for the 50 a second of the bot', async () => {
    const commands = await Promise.all(Array.from({ length: 20 }, () => start()));
    await Promise.all(commands.map(({ reply }) => reply(message())));
    const answers = await Promise.all(commands.flatMap(({ get }) => [get(), get(), get(), get()]));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  it('lets discord.js wait by the headers, so that nothing is refused', async () => {
    await gateway.close();
    standIn.clock.advance(5_000);
    client = await connect(standIn, async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.deferReply();
      for (let n = 0; n < 7; n += 1) await interaction.editReply(`${n}`);
    });
    const answer = await person.slash('ping');
    if (answer.kind !== 'message') throw new Error(answer.kind);
    const { message: seen } = answer;
    await expect.poll(() => seen.current?.content).toBe('6');
    expect(broken()).toEqual([]);
  });
});
