import type { Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../sandbox/page/scenarios.ts';
import { axeViolations, drawIn, hasChromium, openPageScene, type PageScene, tabTo } from './open-page.ts';

/** Waits for the end of a scenario, of which no caption stays. */
async function over(tab: Tab, server: string): Promise<void> {
  await tab
    .locator('main[data-scenario=over]', { has: tab.getByRole('heading', { name: server }) })
    .waitFor();
  expect(await tab.locator('.caption').count()).toBe(0);
}

describe.skipIf(!hasChromium)('the scenarios on the page', () => {
  let scene: PageScene;
  beforeAll(async () => {
    scene = await openPageScene();
  });
  afterAll(async () => {
    await scene.close();
  });

  it.for(SCENARIOS)('plays "$title.en" from the list, with the keyboard', async ({ title }) => {
    const before = scene.sandbox.discord.everyGuild.length;
    const tab = await scene.tab();
    await tabTo(tab, title.en);
    await tab.keyboard.press('Enter');
    await over(tab, title.en);
    expect(scene.sandbox.discord.everyGuild.length).toBe(before + 1);
    expect(await tab.getByRole('log', { name: 'Messages in #general' }).textContent()).toMatch(
      /for review|not sent/i,
    );
    await tab.context().close();
  });

  it.for(SCENARIOS)('plays "$name" once, and axe has nothing to say of it', async ({ name, title }) => {
    const tab = await scene.tab(`&scenario=${name}&locale=de`);
    await over(tab, title.de);
    await tab.getByText('Nur du kannst das sehen').first().waitFor();
    const guilds = scene.sandbox.discord.everyGuild.length;
    await tab.reload();
    await over(tab, title.de);
    expect(scene.sandbox.discord.everyGuild.length).toBe(guilds);
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1000, 360]) {
        await drawIn(tab, colorScheme);
        await tab.setViewportSize({ width, height: 800 });
        expect(await axeViolations(tab), `${colorScheme}, ${width} px`).toEqual([]);
        expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
    await tab.getByRole('button', { name: 'Sandbox' }).click();
    expect(await axeViolations(tab)).toEqual([]);
    await tab.context().close();
  });

  it('breaks no rule of Discord, asks nobody else for anything and says nothing on the console', () => {
    expect(scene.sandbox.discord.breaches).toEqual([]);
    expect(scene.complaints).toEqual([]);
  });
});
