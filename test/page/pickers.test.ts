import type { Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, hasChromium, openPageScene, type PageScene } from './open-page.ts';

describe.skipIf(!hasChromium)('what people pick and drop on the page', () => {
  let scene: PageScene;
  let tab: Tab;

  beforeAll(async () => {
    scene = await openPageScene();
    const { discord, people } = scene.sandbox;
    const [guild] = discord.guilds;
    if (guild === undefined) throw new Error('there is a guild');
    const admin = people.at({ role: 'admin', guild, locale: 'en-US' });
    const opened = await admin.slash('setkey');
    if (opened.kind === 'modal') await admin.submit(opened.modal, { key: 'sandbox-key-1234' });
    discord.guildEvents.addRole(guild, { name: 'staff', mentionable: true });
    tab = await scene.tab('&role=admin');
    await composer().fill('/settings');
    await tab.getByRole('option', { name: '/settings' }).click();
    await tab.getByRole('button', { name: 'Send' }).click();
  });
  afterAll(async () => {
    await scene.close();
  });

  const log = () => tab.getByRole('log', { name: 'Messages in #general' });
  const composer = () => tab.getByRole('textbox', { name: 'Message #general' });

  it('picks a role', async () => {
    await log().getByRole('combobox', { name: 'Choose a role to notify' }).selectOption('@staff');
    await log().getByRole('button', { name: 'Notify no role' }).waitFor();
  });

  it('picks several games with the keyboard', async () => {
    await log().getByRole('button', { name: 'Games …' }).click();
    const list = log().locator('details', { hasText: 'Games, page' });
    await list.locator('summary').press('Enter');
    await list.getByRole('checkbox', { name: 'Counter-Strike 2' }).press('Space');
    await list.getByRole('checkbox', { name: 'Factorio' }).press('Space');
    expect(await axeViolations(tab)).toEqual([]);
    expect(await log().getByRole('button', { name: 'Allow all games' }).count()).toBe(0);
    await list.getByRole('button', { name: 'Done' }).press('Enter');
    await log().getByRole('button', { name: 'Allow all games' }).waitFor();
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
