import { REST } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn } from '../../sandbox/discord/contract.ts';
import type { ApplicationSettings } from '../../sandbox/discord/rest/application-routes.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { installationTroubles, tellOfApplication } from '../../src/discord/application.ts';
import { recorder } from '../storage/temporary.ts';
import { openAppScene } from '../support/scene.ts';

const TOKEN = 'MTExMTExMTExMTExMTExMTEx.apps.a-token-of-the-application-tests-1234567';

let discord: DiscordStandIn | undefined;
afterEach(async () => {
  await discord?.close();
  discord = undefined;
});

async function told(application: ApplicationSettings = {}, interactionsEndpoint = false) {
  discord = await startDiscord({ token: TOKEN, application, interactionsEndpoint });
  const logger = recorder();
  const rest = new REST({ api: discord.apiUrl, retries: 0 }).setToken(TOKEN);
  const invitation = await tellOfApplication(rest, logger);
  return { lines: logger.lines, invitation, id: discord.applicationId };
}

const params = (...scopes: string[]) => ({ scopes, permissions: '0' });
const guild = { oauth2_install_params: params('bot', 'applications.commands') };

describe('what the operator is told of the application', () => {
  it.each([
    true,
    false,
  ])('is the invite link with its own id, and who may use it (public: %s)', async (bot_public) => {
    const { lines, invitation, id } = await told({ bot_public });
    expect(invitation).toEqual({
      invite: `https://discord.com/oauth2/authorize?client_id=${id}&scope=bot+applications.commands&permissions=0&integration_type=0`,
      isPublic: bot_public,
    });
    expect(lines).toEqual([]);
  });

  it('is what to do about an Interactions Endpoint URL', async () => {
    const { lines, id } = await told({}, true);
    expect(lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        details: {},
        message: expect.stringMatching(
          new RegExp(`no command to this bot. Clear it: https://discord.com/developers/applications/${id}/`),
        ),
      },
    ]);
  });

  it.each<[string, ApplicationSettings, RegExp]>([
    [
      '"Add App" gives the commands alone',
      { integration_types_config: { 0: { oauth2_install_params: params('applications.commands') } } },
      /Default Install Settings for Guild Install lack the scope "bot"/,
    ],
    ['users can install it', { integration_types_config: { 0: guild, 1: {} } }, /turn User Install off/],
    ['no server can add it', { integration_types_config: {} }, /Guild Install is off/],
    [
      'the in-app link lacks the bot',
      { install_params: params('applications.commands') },
      /in-app authorization link lacks/,
    ],
    [
      'a link of its own lacks the bot',
      { custom_install_url: 'https://discord.com/oauth2/authorize?client_id=1&scope=applications.commands' },
      /custom install link lacks/,
    ],
    [
      'a link of its own is for users',
      {
        custom_install_url:
          'https://discord.com/api/oauth2/authorize?client_id=1&integration_type=1&scope=bot%20applications.commands',
      },
      /turn User Install off/,
    ],
    ['a code grant is needed', { bot_require_code_grant: true }, /Requires OAuth2 Code Grant/],
  ])('is a warning when %s', async (_, application, words) => {
    const { lines, id } = await told(application);
    expect(lines).toEqual([{ level: 'warn', details: {}, message: expect.stringMatching(words) }]);
    expect(lines[0]?.message).toContain(`${id}/installation`);
  });

  it.each<[string, Parameters<typeof installationTroubles>[0]]>([
    ['"Add App" gives both', { integration_types_config: { 0: guild } } as never],
    ['there is no install link', { integration_types_config: { 0: {} } } as never],
    [
      'a link of its own asks for both',
      {
        custom_install_url:
          'https://discord.com/oauth2/authorize?client_id=1&scope=bot+applications.commands',
      } as never,
    ],
    [
      'a link of its own leaves it to the settings',
      { custom_install_url: 'https://discord.com/oauth2/authorize?client_id=1' } as never,
    ],
    [
      'a link of its own is a page elsewhere',
      { custom_install_url: 'https://example.com/oauth2/authorize?scope=identify' } as never,
    ],
    ['a link of its own is none', { custom_install_url: 'no address' } as never],
    ['Discord tells nothing of it', {} as never],
  ])('is no warning when %s', (_, application) => {
    expect(installationTroubles(application)).toEqual([]);
  });

  it('is that it could not be read', async () => {
    const logger = recorder();
    expect(await tellOfApplication({ get: () => Promise.reject(new Error('down')) }, logger)).toBeUndefined();
    expect(logger.lines).toMatchObject([{ level: 'warn' }]);
  });

  it('is in the log of a real start', async () => {
    const scene = await openAppScene({ discord: { interactionsEndpoint: true } });
    const said = (words: string) => scene.log().some(({ msg }) => String(msg).includes(words));
    await expect.poll(() => said('Interactions Endpoint URL')).toBe(true);
    await scene.close();
  });
});
