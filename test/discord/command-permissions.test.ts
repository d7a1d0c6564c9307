import { type APIApplicationCommandPermission, ApplicationCommandPermissionType } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createCommandPermissions } from '../../src/discord/command-permissions.ts';
import { createTestClock } from '../support/machine.ts';
import { openApi, TOKEN } from '../support/small-bot.ts';

const { Role, User, Channel } = ApplicationCommandPermissionType;
const MINUTE_MS = 60_000;
const MEMBER = '5';
const ROLES = ['71', '72'];
const THREAD = '61';
const CHANNEL = '60';

const entry = (type: ApplicationCommandPermissionType, id: string, permission: boolean) => ({
  type,
  id,
  permission,
});

async function open() {
  const discord = await startDiscord({ token: TOKEN });
  onTestFinished(() => discord.close());
  const [guild, other] = discord.guilds;
  if (!guild || !other) throw new Error('the stand-in has two guilds');
  const api = openApi(discord.apiUrl);
  const commands = [{ name: 'addserver', description: 'Add' }];
  const route = `/applications/${discord.applicationId}/commands` as const;
  const published = (await api.put(route, { body: commands })) as { id: string; name: string }[];
  const permissions = createCommandPermissions({
    api,
    applicationId: async () => discord.applicationId,
    commandId: (name) => published.find((each) => each.name === name)?.id,
  });
  const member = {
    guildId: guild.id,
    channelId: CHANNEL,
    user: { id: MEMBER },
    roleIds: ROLES,
    isAdministrator: false,
  };
  const denies = (more: Partial<typeof member> = {}, waits = true) =>
    permissions.deniesAll(async () => ['addserver'], { ...member, ...more }, waits);
  const reads = () => discord.requests.filter(({ path }) => path.endsWith('/commands/permissions')).length;
  const set = (command: string, entries: readonly APIApplicationCommandPermission[]) =>
    discord.guildEvents.setIntegrations(guild, command, entries);
  return { discord, guild, member, permissions, denies, reads, set };
}

describe('the permissions on the Integrations page', () => {
  // In the order that Discord documents (Discord docs: Application Commands, Permissions).
  it.each<[what: string, isDenied: boolean, entries: (guildId: string) => APIApplicationCommandPermission[]]>(
    [
      ['nothing', false, () => []],
      ['@everyone', true, (guildId) => [entry(Role, guildId, false)]],
      ['a role', true, () => [entry(Role, '71', false)]],
      ["a role that the member doesn't have", false, () => [entry(Role, '99', false)]],
      ['one of two roles', false, () => [entry(Role, '71', false), entry(Role, '72', true)]],
      [
        '@everyone, but not a role',
        false,
        (guildId) => [entry(Role, guildId, false), entry(Role, '72', true)],
      ],
      ['a role, but not the member', false, () => [entry(Role, '71', false), entry(User, MEMBER, true)]],
      ['the member, but not a role', true, () => [entry(Role, '71', true), entry(User, MEMBER, false)]],
      [
        'the channel, but not the member',
        true,
        () => [entry(Channel, CHANNEL, false), entry(User, MEMBER, true)],
      ],
      ['another channel', false, () => [entry(Channel, '99', false)]],
      ['all channels', true, (guildId) => [entry(Channel, String(BigInt(guildId) - 1n), false)]],
      [
        'all channels but this one',
        false,
        (guildId) => [entry(Channel, String(BigInt(guildId) - 1n), false), entry(Channel, CHANNEL, true)],
      ],
    ],
  )("follow Discord's order of precedence (denying %s denies the member: %s)", async (_what, isDenied, entries) => {
    const { guild, denies, set } = await open();
    set('addserver', entries(guild.id));
    expect(await denies()).toBe(isDenied);
  });

  it('override application-wide permissions if set for a single command', async () => {
    const { guild, denies, set } = await open();
    set('', [entry(Role, guild.id, false)]);
    expect(await denies()).toBe(true);
    const later = await open();
    later.set('', [entry(Role, later.guild.id, false)]);
    later.set('addserver', [entry(Role, '99', false)]);
    expect(await later.denies()).toBe(false);
  });

  it("apply to a channel's threads, but not to administrators", async () => {
    const { denies, set } = await open();
    set('addserver', [entry(Channel, CHANNEL, false)]);
    expect(await denies({ channelId: THREAD })).toBe(false);
    expect(await denies({ channelId: THREAD, ...{ parentChannelId: CHANNEL } })).toBe(true);
    expect(await denies({ isAdministrator: true })).toBe(false);
  });

  it('are refreshed in the background after five minutes', async () => {
    const clock = createTestClock();
    const { guild, denies, reads, set } = await open();
    set('addserver', [entry(Role, guild.id, false)]);
    expect(await denies({}, false)).toBe(false);
    await expect.poll(() => denies({}, false)).toBe(true);
    expect(reads()).toBe(1);
    set('addserver', []);
    clock.advance(5 * MINUTE_MS - 1_000);
    expect(await denies()).toBe(true);
    clock.advance(1_000);
    expect(await denies({}, false)).toBe(true);
    await expect.poll(() => denies({}, false)).toBe(false);
    expect(reads()).toBe(2);
  });

  it('are fetched only once for concurrent checks', async () => {
    const { denies, reads } = await open();
    await Promise.all([denies(), denies({}, false), denies()]);
    expect(reads()).toBe(1);
  });
});

it.each([
  { kind: 'status', status: 500 },
  { kind: 'status', status: 403, body: { code: 50_001, message: 'Missing Access' } },
  { kind: 'hang' },
] as const)("commands are allowed while the permissions on the Integrations page can't be read: %j", async (fault) => {
  const { discord, guild, denies, set } = await open();
  set('addserver', [entry(Role, guild.id, false)]);
  discord.faults.inject({ fault, path: /\/commands\/permissions$/ });
  expect(await denies()).toBe(false);
});
