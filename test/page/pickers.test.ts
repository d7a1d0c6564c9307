import type { Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Guild } from '../../sandbox/discord/world/guilds.ts';
import { axeViolations, hasChromium, openPageScene, type PageScene } from './open-page.ts';

/** What the bot's own commands do not have is asked of Discord with its token: any bot's page must be operable. */
describe.skipIf(!hasChromium)('what people pick and drop on the page', () => {
  let scene: PageScene;
  let tab: Tab;
  let guild: Guild;
  /** The data of the interactions that the bot was told of. */
  const told: string[] = [];

  beforeAll(async () => {
    scene = await openPageScene();
    const { discord, people } = scene.sandbox;
    const [first] = discord.guilds;
    if (first === undefined) throw new Error('there is a guild');
    guild = first;
    const admin = people.at({ role: 'admin', guild, locale: 'en-US' });
    const opened = await admin.slash('setkey');
    if (opened.kind === 'modal') await admin.submit(opened.modal, { key: 'sandbox-key-1234' });
    discord.guildEvents.addRole(guild, { name: 'staff', mentionable: true });
    discord.watch((event) => {
      if (event.kind === 'wire' && event.request.body.includes('INTERACTION_CREATE'))
        told.push(event.request.body);
    });
    tab = await scene.tab('&role=admin');
  });
  afterAll(async () => {
    await scene.close();
  });

  const log = () => tab.getByRole('log', { name: 'Messages in #general' });
  const composer = () => tab.getByRole('textbox', { name: 'Message #general' });

  async function asBot(method: string, path: string, body: unknown): Promise<void> {
    const { discord, token } = scene.sandbox;
    const { status } = await fetch(`${discord.apiUrl}/v10${path}`, {
      method,
      headers: {
        authorization: `Bot ${token}`,
        'user-agent': 'DiscordBot (https://example.com, 1)',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    expect(status).toBeLessThan(300);
  }

  /** A message with one select of this type. */
  const offer = (placeholder: string, select: object) =>
    asBot('POST', `/channels/${guild.channelId}/messages`, {
      content: placeholder,
      components: [{ type: 1, components: [{ custom_id: placeholder, placeholder, ...select }] }],
    });
  const valuesOf = (custom: string): readonly string[] | undefined => {
    const body = told.find((text) => text.includes(`"custom_id":"${custom}"`) && text.includes('"values"'));
    return body === undefined ? undefined : JSON.parse(/"values":(\[[^\]]*\])/.exec(body)?.[1] ?? '[]');
  };
  const idOf = (name: string) => scene.sandbox.discord.roles(guild).find((one) => one.name === name)?.id;

  it('picks a role', async () => {
    await offer('a role', { type: 6 });
    await log().getByRole('combobox', { name: 'a role' }).selectOption('@staff');
    await expect.poll(() => valuesOf('a role')).toEqual([idOf('staff')]);
  });

  it('picks several channels with the keyboard, as many as are allowed', async () => {
    await offer('channels', { type: 8, max_values: 2, channel_types: [0] });
    const list = log().locator('details', { hasText: 'channels' });
    await list.locator('summary').press('Enter');
    await list.getByRole('checkbox', { name: '#general' }).press('Space');
    await list.getByRole('checkbox', { name: '#staff' }).press('Space');
    expect(await axeViolations(tab)).toEqual([]);
    expect(valuesOf('channels')).toBeUndefined();
    await list.getByRole('button', { name: 'Done' }).press('Enter');
    await expect.poll(() => valuesOf('channels')).toHaveLength(2);
  });

  it('takes a file that is dropped on a command', async () => {
    await composer().fill('/addservers');
    await tab.getByRole('option', { name: '/addservers' }).first().click();
    const command = tab.getByRole('form', { name: '/addservers' });
    await command.dispatchEvent('drop', {
      dataTransfer: await tab.evaluateHandle(`(() => {
        const dropped = new DataTransfer();
        const list = 'game,server\\ncs2,dropped.example.com:27015\\n';
        dropped.items.add(new File([list], 'dropped.csv', { type: 'text/csv' }));
        return dropped;
      })()`),
    });
    await tab.getByRole('button', { name: 'Send' }).click();
    await log().getByRole('button', { name: 'Submit 1 game server' }).click();
    await expect
      .poll(() => scene.sandbox.listing.submitted.map(({ server }) => server))
      .toEqual(['dropped.example.com']);
  });

  it('leaves axe nothing to say of a window, light and dark', async () => {
    await composer().fill('/setkey');
    await tab.getByRole('option', { name: '/setkey' }).click();
    await tab.getByRole('button', { name: 'Send' }).click();
    await tab.getByRole('dialog').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.emulateMedia({ colorScheme });
      expect(await axeViolations(tab), colorScheme).toEqual([]);
    }
    await tab.keyboard.press('Escape');
  });

  it('says nothing on the console and asks nobody else for anything', () => {
    expect(scene.complaints).toEqual([]);
  });
});
