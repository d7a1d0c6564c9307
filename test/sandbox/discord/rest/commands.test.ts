import { REST, type RequestMethod, type RouteLike, Routes } from 'discord.js';
import { ApplicationCommandResponseSchema } from 'discord-api-spec/zod';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'zod/v4/core';
import type { DiscordStandIn } from '../../../../sandbox/discord/contract.ts';
import { startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import { codeAt, type RawAnswer, raw } from '../support/raw.ts';
import { TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let rest: REST;

beforeEach(async () => {
  standIn = await startDiscord({ token: TOKEN });
  rest = new REST({ api: standIn.apiUrl, rejectOnRateLimit: ['/'] }).setToken(TOKEN);
});

afterEach(() => standIn.close());

const chat = (more: object = {}) => ({ name: 'games', description: 'Lists games', ...more });
const option = (more: object = {}) => ({ type: 3, name: 'search', description: 'What for', ...more });
const withOption = (more: object) => chat({ options: [option(more)] });
const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const scope = (guildId?: string) =>
  `/applications/${standIn.applicationId}${guildId === undefined ? '' : `/guilds/${guildId}`}/commands`;
const idOf = (answer: RawAnswer) => String(answer.json.id);
const broken = () => standIn.breaches.map(({ rule }) => rule);

const TWICE = chat({ contexts: [0, 0] });

describe('each route that takes commands applies the rules to its body', () => {
  const guild = () => scope(standIn.guilds[0]?.id);

  it.each([
    ['POST', () => scope(), TWICE, 'contexts.1'],
    ['PUT', () => scope(), [TWICE], '0.contexts.1'],
    ['PATCH', () => scope(), { contexts: [0, 0] }, 'contexts.1'],
    ['POST', guild, TWICE, 'contexts.1'],
    ['PUT', guild, [TWICE], '0.contexts.1'],
    ['PATCH', guild, { contexts: [0, 0] }, 'contexts.1'],
  ] as const)('%s', async (method, place, json, at) => {
    const whole = await raw(standIn, `POST ${place()}`, { json: chat() });
    const path = method === 'PATCH' ? `${place()}/${idOf(whole)}` : place();
    const answer = await raw(standIn, `${method} ${path}`, { json });
    expect(answer).toMatchObject({ status: 400, json: { code: 50035, message: 'Invalid Form Body' } });
    expect(codeAt(answer.json.errors, at)).toBe('SET_TYPE_ALREADY_CONTAINS_VALUE');
    expect(broken()).toEqual([20]);

    const viaDiscordJs = rest.request({
      method: method as RequestMethod,
      fullRoute: path as RouteLike,
      body: json,
    });
    await expect(viaDiscordJs).rejects.toMatchObject({ status: 400, code: 50035, rawError: answer.json });
    const kept = await raw(standIn, `GET ${place()}/${idOf(whole)}`);
    expect(kept.json).toMatchObject({ name: 'games', version: whole.json.version });
  });
});

it('rule 20: what is said of contexts means nothing on a command of one guild', async () => {
  const place = scope(standIn.guilds[0]?.id);
  const answer = await raw(standIn, `POST ${place}`, {
    json: chat({ contexts: [1], integration_types: [1] }),
  });
  expect(answer).toMatchObject({ status: 201, json: { contexts: null, integration_types: [0] } });
});

describe('rule 21: POST upserts, PATCH changes, PUT replaces', () => {
  it('answers POST with 201, then with 200 and the same id', async () => {
    const first = await raw(standIn, `POST ${scope()}`, { json: chat() });
    expect(first.status).toBe(201);
    const second = await raw(standIn, `POST ${scope()}`, { json: chat({ description: 'Other words' }) });
    expect(second).toMatchObject({ status: 200, json: { id: idOf(first), description: 'Other words' } });
    expect(second.json.version).not.toBe(first.json.version);
  });

  it('keeps the id of a name in a PUT, takes ids, and deletes what is not listed', async () => {
    const games = await raw(standIn, `POST ${scope()}`, { json: chat() });
    const who = await raw(standIn, `POST ${scope()}`, { json: { type: 2, name: 'Who is' } });
    await raw(standIn, `POST ${scope()}`, { json: chat({ name: 'gone' }) });
    const list = [chat(), { id: idOf(who), type: 2, name: 'Who was' }];
    expect((await raw(standIn, `PUT ${scope()}`, { json: list })).status).toBe(200);
    expect(standIn.commands()).toMatchObject([
      { id: idOf(games), name: 'games', version: games.json.version },
      { id: idOf(who), name: 'Who was', type: 2 },
    ]);
  });

  it('indexes the errors of a PUT, and refuses a name twice', async () => {
    const answer = await raw(standIn, `PUT ${scope()}`, { json: [chat(), withOption({ name: 'No good' })] });
    expect(codeAt(answer.json.errors, '1.options.0.name')).toBeDefined();
    const twice = await raw(standIn, `PUT ${scope()}`, { json: [chat(), chat()] });
    expect(twice).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(twice.json.errors, '1')).toBe('APPLICATION_COMMANDS_DUPLICATE_NAME');
    const viaDiscordJs = rest.put(Routes.applicationCommands(standIn.applicationId), {
      body: [chat(), chat()],
    });
    await expect(viaDiscordJs).rejects.toMatchObject({ status: 400, code: 50035, rawError: twice.json });
    expect(broken()).toEqual([11, 21, 21]);
  });

  it('gives each command of a PUT an id of its own, when one is renamed and its name given to another', async () => {
    const id = idOf(await raw(standIn, `POST ${scope()}`, { json: chat() }));
    const { json } = await raw(standIn, `PUT ${scope()}`, {
      json: [chat(), { ...chat(), id, name: 'all-games' }],
    });
    const [fresh, renamed] = Object.values(json) as { id: string; name: string }[];
    expect(renamed).toMatchObject({ id, name: 'all-games' });
    expect(fresh).toMatchObject({ name: 'games' });
    expect(fresh?.id).not.toBe(id);
  });

  it('refuses a PATCH to the name of another command, and leaves the type as it is', async () => {
    const id = idOf(await raw(standIn, `POST ${scope()}`, { json: chat() }));
    await raw(standIn, `POST ${scope()}`, { json: chat({ name: 'taken' }) });
    const refused = await raw(standIn, `PATCH ${scope()}/${id}`, { json: { name: 'taken' } });
    expect(refused).toMatchObject({ status: 400, json: { code: 50035 } });
    expect(codeAt(refused.json.errors, 'name')).toBe('APPLICATION_COMMANDS_DUPLICATE_NAME');
    const path = Routes.applicationCommand(standIn.applicationId, id);
    await expect(rest.patch(path, { body: { name: 'taken' } })).rejects.toMatchObject({ code: 50035 });
    expect(broken()).toEqual([21, 21]);
    expect(await rest.patch(path, { body: { type: 3, name: 'games' } })).toMatchObject({ id, type: 1 });
  });

  it('replaces each field of a PATCH, checks the whole, and deletes with 204', async () => {
    const id = idOf(await raw(standIn, `POST ${scope()}`, { json: withOption({}) }));
    const patched = await raw(standIn, `PATCH ${scope()}/${id}`, { json: { options: [] } });
    expect(patched).toMatchObject({ status: 200, json: { id, name: 'games' } });
    expect(patched.json.options).toBeUndefined();
    expect((await raw(standIn, `PATCH ${scope()}/${id}`, { json: { name: 'No Good' } })).status).toBe(400);
    expect(await raw(standIn, `DELETE ${scope()}/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(standIn.commands()).toEqual([]);
  });
});

describe('rule 22: how many', () => {
  it('refuses the 101st slash command and the 16th user command with 30032', async () => {
    const chats = many(100, (i) => chat({ name: `c${i}` }));
    expect((await raw(standIn, `PUT ${scope()}`, { json: chats })).status).toBe(200);
    const full = { status: 400, json: { code: 30032 } };
    expect(await raw(standIn, `POST ${scope()}`, { json: chat() })).toMatchObject(full);
    expect((await raw(standIn, `POST ${scope()}`, { json: chat({ name: 'c5' }) })).status).toBe(200);
    const users = many(16, (i) => ({ type: 2, name: `u${i}` }));
    expect(await raw(standIn, `PUT ${scope()}`, { json: users })).toMatchObject(full);
    const viaDiscordJs = rest.put(Routes.applicationCommands(standIn.applicationId), { body: users });
    await expect(viaDiscordJs).rejects.toMatchObject({ status: 400, code: 30032 });
    expect(broken()).toEqual([22, 22, 22]);
  });

  it('refuses the 201st new name of a day with 429 and 30034, in each scope by itself', async () => {
    const batch = (n: number) => ({ json: many(100, (i) => chat({ name: `c${n}-${i}` })) });
    expect((await raw(standIn, `PUT ${scope()}`, batch(1))).status).toBe(200);
    expect((await raw(standIn, `PUT ${scope()}`, batch(2))).status).toBe(200);
    const answer = await raw(standIn, `PUT ${scope()}`, batch(3));
    expect(answer).toMatchObject({ status: 429, json: { code: 30034, global: false } });
    expect(Number(answer.json.retry_after)).toBeGreaterThan(80_000);
    const viaDiscordJs = rest.put(Routes.applicationCommands(standIn.applicationId), { body: batch(3).json });
    await expect(viaDiscordJs).rejects.toMatchObject({ name: expect.stringContaining('RateLimitError') });

    // Names that were there before cost nothing, and a guild counts for itself.
    expect((await raw(standIn, `PUT ${scope()}`, batch(2))).status).toBe(200);
    expect((await raw(standIn, `PUT ${scope(standIn.guilds[0]?.id)}`, batch(1))).status).toBe(200);
    standIn.clock.advance(24 * 60 * 60_000);
    expect((await raw(standIn, `PUT ${scope()}`, batch(3))).status).toBe(200);
  });

  it('can answer that with 400, as Discord did in 2023', async () => {
    await standIn.close();
    standIn = await startDiscord({ token: TOKEN, dailyLimitStatus: 400 });
    const batch = (n: number) => ({ json: many(100, (i) => chat({ name: `c${n}-${i}` })) });
    await raw(standIn, `PUT ${scope()}`, batch(1));
    await raw(standIn, `PUT ${scope()}`, batch(2));
    expect(await raw(standIn, `PUT ${scope()}`, batch(3))).toMatchObject({
      status: 400,
      json: { code: 30034 },
    });
  });
});

describe('rule 23: whose commands, where', () => {
  it('refuses a guild where the bot is not authorised, or not at all, with 403 and 50001', async () => {
    const denied = { status: 403, json: { code: 50001, message: 'Missing Access' } };
    const foreign = standIn.guildEvents.add({ name: 'foreign', authorised: false });
    const [left] = standIn.guilds;
    if (left === undefined) throw new Error('no guild');
    standIn.guildEvents.remove(left);
    for (const id of [foreign.id, left.id, '123456789012345678'])
      expect(await raw(standIn, `PUT ${scope(id)}`, { json: [] })).toMatchObject(denied);
    const viaDiscordJs = rest.get(Routes.applicationGuildCommands(standIn.applicationId, left.id));
    await expect(viaDiscordJs).rejects.toMatchObject({ status: 403, code: 50001 });
  });

  it('refuses another application with 403 and 20012', async () => {
    const path = '/applications/123456789012345678/commands';
    const denied = { status: 403, json: { code: 20012 } };
    expect(await raw(standIn, `PUT ${path}`, { json: [] })).toMatchObject(denied);
    await expect(rest.get(Routes.applicationCommands('123456789012345678'))).rejects.toMatchObject({
      status: 403,
      code: 20012,
    });
  });

  it('knows no command of an unknown id: 404 and 10063', async () => {
    const unknown = { status: 404, json: { code: 10063 } };
    for (const request of ['GET', 'DELETE'])
      expect(await raw(standIn, `${request} ${scope()}/123456789012345678`)).toMatchObject(unknown);
    const one = await raw(standIn, `POST ${scope()}`, { json: chat() });
    // It exists, but not in the guild.
    const inGuild = `${scope(standIn.guilds[0]?.id)}/${idOf(one)}`;
    expect(await raw(standIn, `PATCH ${inGuild}`, { json: {} })).toMatchObject(unknown);
    await expect(
      rest.delete(Routes.applicationCommand(standIn.applicationId, '123456789012345678')),
    ).rejects.toMatchObject({ status: 404, code: 10063 });
    expect(broken()).toEqual([23, 23, 23, 23]);
  });

  it('returns a command with every field, permissions as a string, defaults filled in', async () => {
    const answer = await raw(standIn, `POST ${scope()}`, {
      json: chat({ default_member_permissions: 32, options: [option({ required: false })] }),
    });
    expect(answer.json).toMatchObject({
      application_id: standIn.applicationId,
      type: 1,
      default_member_permissions: '32',
      contexts: null,
      integration_types: [0],
      nsfw: false,
      name_localizations: null,
    });
    expect(answer.json.version).toMatch(/^\d+$/);
    expect(answer.json.options).toEqual([
      { ...option(), name_localizations: null, description_localizations: null },
    ]);
    const fetched = await raw(standIn, `GET ${scope()}/${idOf(answer)}`);
    expect(fetched).toMatchObject({ status: 200, json: answer.json });
  });

  it('lists names in one language, or in all when asked', async () => {
    const localized = { name_localizations: { de: 'spiele' }, description_localizations: { de: 'Listet' } };
    await raw(standIn, `POST ${scope()}`, { json: chat(localized) });
    const plain = await raw(standIn, `GET ${scope()}`, { headers: { 'x-discord-locale': 'de' } });
    const [inGerman] = Object.values(plain.json) as Record<string, unknown>[];
    expect(inGerman).toMatchObject({
      name: 'games',
      name_localized: 'spiele',
      description_localized: 'Listet',
    });
    expect(inGerman).not.toHaveProperty('name_localizations');
    const all = await raw(standIn, `GET ${scope()}?with_localizations=true`);
    expect(Object.values(all.json)[0]).toMatchObject(localized);
  });

  it('drops localized texts that say the same as the default', async () => {
    const localized = {
      name_localizations: { de: 'games', fr: 'jeux' },
      description_localizations: { de: 'Lists games' },
      options: [
        option({
          name_localizations: { de: 'search' },
          choices: [{ name: 'a', value: 'a', name_localizations: { de: 'a', fr: 'b' } }],
        }),
      ],
    };
    const { json } = await raw(standIn, `POST ${scope()}`, { json: chat(localized) });
    expect(json).toMatchObject({ name_localizations: { fr: 'jeux' }, description_localizations: null });
    expect(Object(json).options[0]).toMatchObject({
      name_localizations: null,
      choices: [{ name: 'a', value: 'a', name_localizations: { fr: 'b' } }],
    });
  });
});

describe('rule 21: an entry-point command', () => {
  it('is not removed by a PUT: 50240', async () => {
    const other = await startDiscord({ token: TOKEN, entryPoint: true });
    onTestFinished(() => other.close());
    const path = `/applications/${other.applicationId}/commands`;
    const [launch] = other.commands();
    const without = await raw(other, `PUT ${path}`, { json: [chat()] });
    expect(without).toMatchObject({ status: 400, json: { code: 50240 } });
    expect(other.commands()).toEqual([launch]);
    const { name, type } = launch ?? {};
    const whole = await raw(other, `PUT ${path}`, { json: [chat(), { name, type, handler: 2 }] });
    expect(whole.status).toBe(200);
    expect(other.commands().map(({ id }) => id)).toContain(launch?.id);
    expect(other.breaches.map(({ rule }) => rule)).toEqual([21]);
  });
});

describe('what is said of a command', () => {
  it.each(['full', 'sparse'] as const)('keeps to the published schema (%s)', async (commandAnswers) => {
    const other = await startDiscord({ token: TOKEN, commandAnswers });
    onTestFinished(() => other.close());
    const file = option({ name: 'file', type: 11, file_types: ['.txt'] });
    const command = chat({
      options: [option({ required: true }), file],
      contexts: [0],
      integration_types: [0],
    });
    const path = `/applications/${other.applicationId}/commands`;
    const put = await raw(other, `PUT ${path}`, { json: [command, { type: 3, name: 'Read' }] });
    const got = await raw(other, `GET ${path}?with_localizations=true`);
    expect(got.json).toEqual(put.json);
    for (const each of Object.values(got.json)) parse(ApplicationCommandResponseSchema, each);
    expect(JSON.stringify(got.json).includes('file_types')).toBe(commandAnswers === 'full');
  });
});
