import { fileURLToPath } from 'node:url';
import type { Page as Tab } from 'playwright-core';
import { SCENARIOS } from '../../sandbox/page/scenarios.ts';
import { drawIn, hasChromium, openPageScene } from './open-page.ts';

/** A moment in a scenario, shown as a picture in docs. */
interface Picture {
  readonly name: string;
  readonly scenario: string;
  /** The number of the step before which to take the screenshot. By default, it is taken at the end. */
  readonly before?: number;
  readonly width: number;
}

const PHONE = 390;

const PICTURES: readonly Picture[] = [
  { name: 'settings', scenario: 'panel', before: 4, width: PHONE },
  { name: 'panel', scenario: 'panel', before: 7, width: PHONE },
  { name: 'no-port', scenario: 'wrong-first-try', before: 2, width: PHONE },
  { name: 'preview', scenario: 'list-of-250', before: 2, width: PHONE },
  { name: 'report', scenario: 'list-of-250', width: 1000 },
];

/** `npm run screenshots` replaces the pictures in `docs/pictures/`. Each has a light and a dark version. */
const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const LOCALE = 'en-US';

/** Hides everything except the message that the next step uses or, without a next step, the last message. */
const SHOW_ALONE = `(() => {
  const target = document.querySelector('.messages .target');
  const message = target?.closest('.message') ?? [...document.querySelectorAll('.message')].at(-1);
  target?.classList.remove('target');
  message.dataset.shown = '';
  for (const part of document.querySelectorAll('.places, .side, header, .caption, .composer, .message:not([data-shown])'))
    part.style.display = 'none';
  document.getElementById('page').style.display = 'block';
  message.style.margin = '0';
})()`;
/** Waits two frames, until everything has been rendered. */
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';
/** Larger than the height of any message, in pixels. */
const HEIGHT = 3_000;

async function take(tab: Tab, { name, width }: Picture): Promise<void> {
  await tab.setViewportSize({ width, height: HEIGHT });
  await tab.evaluate(SHOW_ALONE);
  for (const colorScheme of ['light', 'dark'] as const) {
    await drawIn(tab, colorScheme);
    await tab.evaluate(DRAWN);
    const file = `${name}-en-${colorScheme}-${width}.png`;
    await tab.locator('[data-shown]').screenshot({ path: `${FOLDER}${file}` });
    process.stdout.write(`${file}\n`);
  }
}

if (!hasChromium) process.exit(1);
const scene = await openPageScene({ read: undefined });
for (const { name, steps } of SCENARIOS) {
  const wanted = PICTURES.filter(({ scenario }) => scenario === name);
  if (wanted.length === 0) continue;
  const tab = await scene.tab(`&scenario=${name}&locale=${LOCALE}`, { deviceScaleFactor: 2 });
  /** Takes pictures in a copy of the tab, because taking a picture hides parts of the page. */
  const takeAll = async (before: number | undefined) => {
    for (const picture of wanted.filter((each) => each.before === before)) {
      await tab.locator(`html[lang="${LOCALE}"]`).waitFor();
      const other = await tab.context().newPage();
      await other.goto(tab.url());
      await other.locator('.caption').waitFor();
      await other.locator('.message').last().waitFor();
      await take(other, picture);
      await other.close();
    }
  };
  for (const number of steps.keys().map((index) => index + 1)) {
    await tab.locator('.caption .about', { hasText: `· ${number} ` }).waitFor();
    await takeAll(number);
    await tab.locator('.caption .next').click();
  }
  await tab.locator('main[data-scenario=over]').waitFor();
  await takeAll(undefined);
  await tab.context().close();
}
await scene.close();
if (scene.complaints.length > 0) throw new Error(scene.complaints.join('\n'));
