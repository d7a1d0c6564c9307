import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page as Tab } from 'playwright-core';
import { inLanguage, type Texts } from '../../sandbox/page/texts.ts';
import { drawIn, hasChromium, openPageScene } from './open-page.ts';

/** A moment of a scenario that a page of the docs shows. */
interface Picture {
  readonly name: string;
  readonly scenario: string;
  /** How the caption begins in English at which the last message is shown, before what it says happens; without one the end is shown. */
  readonly at?: string;
  readonly locales: readonly ('en-US' | 'de')[];
  readonly width: number;
}

const BOTH = ['en-US', 'de'] as const;
const PHONE = 390;

const PICTURES: readonly Picture[] = [
  { name: 'key-is-set', scenario: 'first-key', at: 'They choose', locales: BOTH, width: PHONE },
  { name: 'settings', scenario: 'first-key', at: 'Each setting', locales: BOTH, width: PHONE },
  { name: 'submitted', scenario: 'first-key', locales: BOTH, width: PHONE },
  { name: 'panel', scenario: 'panel', at: 'A member who', locales: BOTH, width: PHONE },
  { name: 'no-port', scenario: 'wrong-first-try', at: 'They put it right', locales: BOTH, width: PHONE },
  { name: 'put-right', scenario: 'wrong-first-try', at: 'They try an', locales: BOTH, width: PHONE },
  { name: 'preview', scenario: 'list-of-250', at: 'They submit', locales: BOTH, width: PHONE },
  { name: 'report', scenario: 'list-of-250', locales: BOTH, width: PHONE },
  { name: 'report', scenario: 'list-of-250', locales: ['en-US'], width: 1000 },
  {
    name: 'not-sent',
    scenario: 'service-outage',
    at: 'The service is back',
    locales: BOTH,
    width: PHONE,
  },
  { name: 'after-a-crash', scenario: 'crash-in-a-list', locales: BOTH, width: PHONE },
];

/** `npm run screenshots`: the pictures in `docs/pictures/`, each light and dark; whatever else is there goes. */
const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));

/** What is seen is as high as the last message is, with the head of the page and the line to write in around it. */
const LAST = "[...document.querySelectorAll('.messages discord-message')].at(-1)";
const HEIGHT = `innerHeight - document.querySelector('.messages').clientHeight + ${LAST}.offsetHeight`;
/** Two frames later everything is drawn. */
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';

async function take(tab: Tab, { name, width }: Picture, locale: string): Promise<void> {
  await tab.locator(`html[lang="${locale}"]`).waitFor();
  // A caption is no part of what Discord shows.
  const hide = (display: string) =>
    tab.evaluate(
      `document.querySelectorAll('.caption').forEach((each) => { each.style.display = '${display}'; })`,
    );
  await hide('none');
  await tab.setViewportSize({ width, height: 844 });
  await tab.evaluate(DRAWN);
  await tab.setViewportSize({ width, height: Math.ceil(Number(await tab.evaluate(HEIGHT))) + ROOM });
  for (const colorScheme of ['light', 'dark'] as const) {
    await drawIn(tab, colorScheme);
    await tab.evaluate(DRAWN);
    await tab.evaluate(`${LAST}.scrollIntoView({ block: 'start' })`);
    const file = `${name}-${locale.slice(0, 2)}-${colorScheme}-${width}.png`;
    await tab.screenshot({ path: `${FOLDER}${file}` });
    process.stdout.write(`${file}\n`);
  }
  await hide('');
}
/** Between a message and what is around it. */
const ROOM = 16;

if (!hasChromium) process.exit(1);
await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
/** What happens while a caption stands. */
let standing: (caption: Texts) => Promise<void> = async () => undefined;
const scene = await openPageScene({ read: (caption) => standing(caption) });
for (const scenario of new Set(PICTURES.map((picture) => picture.scenario)))
  for (const locale of BOTH) {
    const wanted = PICTURES.filter((each) => each.scenario === scenario && each.locales.includes(locale));
    const opened = Promise.withResolvers<Tab>();
    standing = async (caption) => {
      const tab = await opened.promise;
      await tab.locator('.caption.playing', { hasText: inLanguage(caption, locale) }).waitFor();
      for (const picture of wanted)
        if (picture.at !== undefined && caption.en.startsWith(picture.at)) await take(tab, picture, locale);
    };
    const tab = await scene.tab(`&scenario=${scenario}&locale=${locale}`);
    opened.resolve(tab);
    await tab.locator('main[data-scenario=over]').waitFor();
    for (const picture of wanted) if (picture.at === undefined) await take(tab, picture, locale);
    await tab.context().close();
  }
await scene.close();
if (scene.complaints.length > 0) throw new Error(scene.complaints.join('\n'));
