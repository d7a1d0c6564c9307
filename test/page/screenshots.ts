import { mkdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SCENARIOS } from '../../sandbox/page/scenarios.ts';
import { hasChromium, openPageScene } from './open-page.ts';

/** `npm run screenshots`: what each scenario ends with, narrow and wide, light and dark, in English and German. */
const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const SIZES = [
  { width: 390, height: 844 },
  { width: 1000, height: 760 },
];

if (!hasChromium) process.exit(1);
await mkdir(FOLDER, { recursive: true });
// A scenario that is over at once would not be seen to play.
const scene = await openPageScene({ read: () => setTimeout(500) });
for (const { name } of SCENARIOS)
  for (const locale of ['en-US', 'de']) {
    const tab = await scene.tab(`&scenario=${name}&locale=${locale}`);
    await tab.locator('.caption.playing').waitFor();
    await tab.locator('.caption.over').waitFor();
    await tab.locator(`html[lang="${locale}"]`).waitFor();
    for (const size of SIZES)
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.emulateMedia({ colorScheme });
        await tab.setViewportSize(size);
        // Two frames later it is drawn in the new size.
        await tab.evaluate(
          'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
        );
        // What the last message says comes first: below it may be long files. A short one ends at the bottom.
        await tab.evaluate(
          "[...document.querySelectorAll('.messages discord-message')].at(-1).scrollIntoView({ block: 'start' })",
        );
        const file = `${name}-${locale.slice(0, 2)}-${colorScheme}-${size.width}.png`;
        await tab.screenshot({ path: `${FOLDER}${file}` });
        process.stdout.write(`${file}\n`);
      }
    await tab.context().close();
  }
await scene.close();
if (scene.complaints.length > 0) throw new Error(scene.complaints.join('\n'));
