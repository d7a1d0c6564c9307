import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../sandbox/page/scenarios.ts';
import { hasChromium, openPageScene, type PageScene } from './open-page.ts';

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
