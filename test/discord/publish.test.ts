import {
  ApplicationCommandType,
  RateLimitError,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type StandInOptions, startDiscord } from '../../sandbox/discord/stand-in.ts';
import {
  asPublished,
  createPublishing,
  fingerprintKey,
  type PublishingDeps,
} from '../../src/discord/publish.ts';
import type { ClaimJob } from '../../src/storage/claim-job.ts';
import { claimJob } from '../support/builders.ts';
import { openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';
import { openApi, TOKEN } from '../support/small-bot.ts';

const command = (name: string, description = 'Does it') =>
  asPublished({
    data: { type: ApplicationCommandType.ChatInput, name, description },
  });
const COMMANDS = [command('one'), command('two')];

async function open(options: Omit<StandInOptions, 'token'> = {}) {
  const discord = await startDiscord({ token: TOKEN, ...options });
  const logger = recorder();
  const api = openApi(discord.apiUrl, { logger });
  const { values } = await openStore();
  onTestFinished(async () => {
    expect(discord.breaches).toEqual([]);
    await discord.close();
  });
  const stopping = new AbortController();
  /** Publishes the commands once, as the bot does. */
  async function run(
    commands: readonly RESTPostAPIApplicationCommandsJSONBody[],
    deps: Partial<PublishingDeps> = {},
    applicationId = discord.applicationId,
  ) {
    const publishing = createPublishing({ api, values, claimJob, logger, ...deps });
    return { ...publishing, count: await publishing.publish(applicationId, commands, stopping.signal) };
  }
  const puts = () =>
    discord.requests.filter(({ method, status }) => method === 'PUT' && status === 200).length;
  return { discord, api, values, logger, stopping, run, puts };
}

describe("the bot's commands", () => {
  it('are published only once', async () => {
    const { discord, run, puts } = await open();
    for (let start = 0; start < 3; start += 1) {
      const { count, mention } = await run(COMMANDS);
      expect(count).toBe(2);
      const [one] = discord.commands();
      expect(mention('one')).toBe(`</one:${one?.id}>`);
    }
    expect(puts()).toBe(1);
  });

  it('are republished when they change', async () => {
    const { discord, run, puts } = await open();
    const others = [command('one', 'Does something else'), command('three')];
    for (const commands of [COMMANDS, others, others]) await run(commands);
    expect(puts()).toBe(2);
    expect(discord.commands()).toMatchObject(others.map(({ name }) => ({ name })));
  });

  it("are republished if they're missing from Discord", async () => {
    const { discord, api, run, puts } = await open();
    await run(COMMANDS);
    await api.put(Routes.applicationCommands(discord.applicationId), { body: [] });
    await run(COMMANDS);
    expect(puts()).toBe(3);
    expect(discord.commands()).toHaveLength(2);
  });

  it('are republished if another program has published different commands', async () => {
    const { discord, api, run, puts } = await open();
    await run(COMMANDS);
    const body = [command('one', 'Does what another program says')];
    await api.put(Routes.applicationCommands(discord.applicationId), { body });
    await run(COMMANDS);
    expect(puts()).toBe(3);
    expect(discord.commands()).toMatchObject(COMMANDS.map(({ name }) => ({ name, description: 'Does it' })));
  });

  it('are republished after the bot is restored from an older backup', async () => {
    const { discord, values, run } = await open();
    const older = [command('one', 'Did it')];
    await run(older);
    const key = fingerprintKey(discord.applicationId);
    const backup = await values.get(key);
    await run(COMMANDS);
    await values.set(key, backup);
    await run(older);
    expect(discord.commands()).toMatchObject([{ name: 'one', description: 'Did it' }]);
  });

  it('are published once per application', async () => {
    const { run } = await open();
    const published: string[] = [];
    const get = async () => [{ id: '1', version: '1', name: 'one', type: 1 }];
    const put = async (route: string) => {
      published.push(route);
      return get();
    };
    const api = { get, put, logFailure: () => undefined };
    for (const id of ['1000', '2000', '1000']) await run(COMMANDS, { api }, id);
    expect(published).toEqual(['1000', '2000'].map((id) => Routes.applicationCommands(id)));
  });

  it('are published by only one process', async () => {
    const { run, puts } = await open();
    const busy: ClaimJob = async () => {
      await run(COMMANDS);
      return false;
    };
    const { count, mention } = await run(COMMANDS, { claimJob: busy });
    expect([count, puts()]).toEqual([2, 1]);
    expect(mention('one')).toMatch(/^<\/one:\d+>$/);
  });

  it('are published on the second attempt if the first fails', async () => {
    const { discord, logger, run } = await open();
    discord.faults.inject({ fault: { kind: 'status', status: 500 }, method: 'PUT' });
    expect(await run(COMMANDS)).toMatchObject({ count: 2 });
    const [failure] = logger.lines.filter(({ level }) => level === 'error');
    expect(failure?.details).toMatchObject({ againInSeconds: 2 });
  });

  it("aren't published if Discord's daily limit has been reached", async () => {
    const { discord, logger, stopping, run, puts } = await open();
    const fault = { kind: 'rate limit', scope: 'user', retryAfterMs: 70_000 } as const;
    discord.faults.inject({ fault, method: 'PUT', times: 9 });
    const ended = run(COMMANDS);
    await expect
      .poll(() => logger.lines.map(({ message }) => message).join())
      .toContain('not accept more new commands today');
    expect(Object(logger.lines.at(-1)?.details).err).toBeInstanceOf(RateLimitError);
    stopping.abort();
    const { count, mention } = await ended;
    expect([count, puts()]).toEqual([0, 0]);
    expect(mention('one')).toBe('/one');
  });

  it("don't replace an application's entry point command", async () => {
    const { discord, run, puts } = await open({ entryPoint: true });
    const isEntryPoint = ({ type }: { readonly type: ApplicationCommandType }) =>
      type === ApplicationCommandType.PrimaryEntryPoint;
    const before = discord.commands().find(isEntryPoint);
    for (let start = 0; start < 2; start += 1) expect(await run(COMMANDS)).toMatchObject({ count: 2 });
    expect(puts()).toBe(1);
    // Discord gives each command a new version when it is published.
    expect({ ...discord.commands().find(isEntryPoint), version: '' }).toEqual({ ...before, version: '' });
    expect(discord.commands()).toHaveLength(3);
  });
});

it('a published command is guild-only and requires the right permission', () => {
  const data = { type: ApplicationCommandType.ChatInput, name: 'one', description: 'Does it' } as const;
  const shown = { ...data, contexts: [0], integration_types: [0] };
  expect(asPublished({ data })).toEqual(shown);
  const forAdmins = asPublished({ data, permission: 'manage-guild' });
  expect(forAdmins).toEqual({ ...shown, default_member_permissions: '32' });
});
