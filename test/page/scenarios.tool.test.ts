import type { Page as Tab } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../sandbox/page/scenarios.ts';
import {
  axeViolations,
  drawIn,
  focusedName,
  hasChromium,
  openPageScene,
  type PageScene,
  tabTo,
} from './open-page.ts';

const WIDTHS = [360, 1280] as const;
const COLOR_SCHEMES = ['light', 'dark'] as const;

/**
 * Checks the current state with axe, in each width with one of the color schemes. Axe takes most of the time, so two consecutive
 * states share the four combinations.
 */
async function look(tab: Tab, state: string, index: number): Promise<void> {
  for (const [at, width] of WIDTHS.entries()) {
    await tab.setViewportSize({ width, height: 800 });
    expect(
      await tab.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      `${state}, ${width} px`,
    ).toBe(true);
    const colorScheme = COLOR_SCHEMES[(index + at) % 2] ?? 'light';
    await drawIn(tab, colorScheme);
    expect(await axeViolations(tab), `${state}, ${colorScheme}, ${width} px`).toEqual([]);
  }
}

describe.skipIf(!hasChromium)('the sandbox scenarios', () => {
  let scene: PageScene;
  beforeAll(async () => {
    scene = await openPageScene({ read: undefined });
  });
  afterEach(() => scene.closeTabs());
  afterAll(async () => {
    await scene.close();
  });

  it.for(SCENARIOS)('are accessible and fully usable by keyboard: $name', async ({ title, steps }) => {
    const { discord, bot } = scene.sandbox;
    const before = discord.everyGuild.length;
    const tab = await scene.tab();
    await tabTo(tab, new RegExp(title.en));
    await tab.keyboard.press('Enter');
    for (const [index, { caption }] of steps.entries()) {
      const step = `${index + 1} of ${steps.length}`;
      await tab.locator('.caption', { hasText: step }).getByText(caption.en).waitFor();
      await expect.poll(() => focusedName(tab)).toBe('Next');
      await look(tab, step, index);
      // Pressing the marked button is the same as pressing Next.
      const marked = tab.locator('button.target');
      if ((await marked.count()) > 0) await marked.focus();
      await tab.keyboard.press('Enter');
    }
    await tab.locator('main[data-scenario=over]').waitFor();
    await expect.poll(() => focusedName(tab)).toMatch(/^(Next: |Try it yourself$)/);
    await look(tab, 'over', steps.length);
    expect(bot.running).toBe(true);
    expect(discord.everyGuild.length).toBe(before + 1);
    expect(await tab.getByRole('article').count()).toBeGreaterThan(0);
  });

  it('run without errors, Discord rule violations or external requests', () => {
    expect(scene.sandbox.discord.breaches).toEqual([]);
    expect(scene.complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('the sandbox scenarios in German', () => {
  let scene: PageScene;
  beforeAll(async () => {
    scene = await openPageScene();
  });
  afterEach(() => scene.closeTabs());
  afterAll(async () => {
    await scene.close();
  });

  it.for(SCENARIOS)("don't restart after a reload: $name", async ({ name, title }) => {
    const tab = await scene.tab(`&scenario=${name}&locale=de`);
    await tab.locator('main[data-scenario=over]').waitFor();
    await tab.locator('.caption', { hasText: `Ende von: ${title.de}` }).waitFor();
    const guilds = scene.sandbox.discord.everyGuild.length;
    await tab.reload();
    await tab.locator('main[data-scenario=over]').waitFor();
    expect(scene.sandbox.discord.everyGuild.length).toBe(guilds);
  });

  it('run without errors or external requests', () => {
    expect(scene.complaints).toEqual([]);
  });
});
