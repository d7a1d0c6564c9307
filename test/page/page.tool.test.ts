import { readFileSync } from 'node:fs';
import type { Page as Tab } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { memberOf } from '../../sandbox/people.ts';
import { createPrompt } from '../../sandbox/prompt/prompt.ts';
import { modalOf, setKey } from '../support/bot.ts';
import { addServer, paste } from '../support/people.ts';
import {
  axeViolations,
  drawIn,
  focusedName,
  hasChromium,
  openPageScene,
  type PageScene,
  tabTo,
} from './open-page.ts';

const composer = (tab: Tab) => tab.getByRole('textbox', { name: 'Message #general' });
const log = (tab: Tab) => tab.getByRole('log', { name: 'Messages in #general' });
/** Returns one of the options that the bot suggests. */
const suggestion = (tab: Tab, text: string) => tab.locator('datalist option', { hasText: text }).first();
const answers = (tab: Tab) => log(tab).getByRole('article');
/** Returns a private reply that has arrived, unlike one that still shows "Sending command…". */
const reply = (tab: Tab) => log(tab).locator('.ephemeral .content');
const side = (tab: Tab) => tab.getByRole('complementary');

/** A list entry as rendered. */
interface Entry {
  readonly words: string;
  readonly isInEmbed: boolean;
  readonly lines: number;
}

/** Finds all lines in a message that start with a bullet, and all lines in an embed that contain a server or a game. */
const ENTRIES = `[...document.querySelectorAll('.content, .embed-text')].flatMap((text) => {
  const parts = [[]];
  for (const node of text.childNodes) {
    if (node.localName === 'br') parts.push([]);
    else parts.at(-1).push(node);
  }
  const isInEmbed = text.matches('.embed-text');
  const isEntry = (part) =>
    isInEmbed ? part.some(({ localName }) => localName === 'code') : part.some(({ data = '' }) => data.startsWith('• '));
  const lineHeight = Number.parseFloat(getComputedStyle(text).lineHeight);
  return parts.filter(isEntry).map((part) => {
    const range = document.createRange();
    range.setStartBefore(part[0]);
    range.setEndAfter(part.at(-1));
    const lines = Math.round(range.getBoundingClientRect().height / lineHeight);
    return { words: range.toString(), isInEmbed, lines };
  });
})`;

/** Counts the messages whose time is hidden behind another element. */
const COVERED_TIMES = `[...document.querySelectorAll('.message')].flatMap((message) => {
  message.scrollIntoView({ block: 'start' });
  const time = message.querySelector('.author time');
  const { left, right, top, height } = time.getBoundingClientRect();
  const isSeen = (x) => document.elementFromPoint(x, top + height / 2) === time;
  return [left + 1, (left + right) / 2, right - 1].every(isSeen) ? [] : [time];
}).length`;

/** Counts the select menus in the side panel that are too narrow for their longest option. */
const CUT_CHOICES = `[...document.querySelectorAll('.side section[aria-labelledby=you] select')].filter((select) => {
  const { offsetWidth } = select;
  const whole = select.cloneNode(true);
  whole.style = 'max-width: none; min-width: max-content';
  select.after(whole);
  const isCut = whole.offsetWidth > offsetWidth;
  whole.remove();
  return isCut;
}).length`;

describe.skipIf(!hasChromium)('the sandbox in a browser', () => {
  let scene: PageScene;
  beforeAll(async () => {
    scene = await openPageScene();
  });
  // The sandbox would update every open tab after each change.
  afterEach(() => scene.closeTabs());
  afterAll(async () => {
    await scene.close();
  });

  /** Opens a tab in a new Discord server, in which the admin has already set the key. */
  async function inNewServer(options: { readonly key?: boolean; readonly more?: string } = {}): Promise<Tab> {
    const { discord, people } = scene.sandbox;
    const guild = discord.guildEvents.add({ name: `Server ${discord.everyGuild.length}` });
    if (options.key !== false) {
      await setKey(people.at({ role: 'admin', guild, locale: 'en-US' }), 'sandbox-key-1234');
    }
    return scene.tab(`&guild=${guild.id}${options.more ?? '&role=member'}`);
  }

  /** Selects a command the way people do, by typing its name and pressing Enter. */
  async function pickCommand(tab: Tab, name: string): Promise<void> {
    await composer(tab).fill(`/${name}`);
    await tab
      .getByRole('option', { name: `/${name}`, exact: false })
      .first()
      .waitFor();
    await composer(tab).press('Enter');
  }

  async function run(tab: Tab, name: string): Promise<void> {
    await pickCommand(tab, name);
    await tab.getByRole('button', { name: 'Send' }).click();
  }

  /** Waits until a submitted form has closed and the message field has the focus. */
  async function formClosed(tab: Tab): Promise<void> {
    await tab.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => focusedName(tab)).toBe('Message #general');
  }

  it('lets users set the key and submit a server with the mouse', async () => {
    const tab = await inNewServer({ key: false, more: '' });
    await composer(tab).fill('/setk');
    await tab.getByRole('option', { name: '/setkey' }).click();
    await tab.getByRole('button', { name: 'Send' }).click();
    await tab.getByRole('dialog').getByRole('textbox').first().fill('sandbox-key-1234');
    await tab.getByRole('button', { name: 'Submit' }).click();
    await reply(tab).waitFor();
    await formClosed(tab);
    await composer(tab).fill('/addserver');
    await tab.getByRole('option', { name: '/addserver' }).first().click();
    await tab.getByRole('combobox', { name: 'game' }).fill('counter-strike 2');
    await suggestion(tab, 'Counter-Strike 2').waitFor({ state: 'attached' });
    await tab.getByRole('combobox', { name: 'game' }).fill('cs2');
    await tab.getByRole('textbox', { name: 'server', exact: true }).fill('mouse.example.com:27015');
    await tab.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => scene.sandbox.listing.submitted.at(-1)?.server).toBe('mouse.example.com');
  });

  it('lets users set the key and submit a server with the keyboard', async () => {
    const tab = await inNewServer({ key: false, more: '' });
    await tabTo(tab, 'Message #general');
    await tab.keyboard.type('/setkey');
    await tab.getByRole('option', { name: '/setkey' }).waitFor();
    await tab.keyboard.press('Enter');
    await tab.keyboard.press('Enter');
    await tab.getByRole('dialog').waitFor();
    await tab.keyboard.type('sandbox-key-1234');
    await tab.keyboard.press('Enter');
    await reply(tab).waitFor();
    await formClosed(tab);
    await tab.keyboard.type('/addserver');
    await tab.getByRole('option', { name: '/addserver' }).first().waitFor();
    await tab.keyboard.press('Enter');
    await tab.keyboard.type('cs2');
    await tab.keyboard.press('Tab');
    await tab.keyboard.type('keys.example.com:27015');
    await tab.keyboard.press('Enter');
    await expect.poll(() => scene.sandbox.listing.submitted.at(-1)?.server).toBe('keys.example.com');
  });

  it("runs the README's example command, even when typed immediately", async () => {
    const [line = '', game, host, port] =
      /\/addserver game:(\w+) server:([\w.]+):(\d+)/.exec(readFileSync('README.md', 'utf8')) ?? [];
    const tab = await scene.tab();
    const before = scene.sandbox.listing.submitted.length;
    await tab.keyboard.type(line);
    await tab.keyboard.press('Enter');
    await expect
      .poll(() => scene.sandbox.listing.submitted.slice(before))
      .toMatchObject([{ game, server: host, port: Number(port) }]);
  });

  it.for([1280, 390])('guides a new visitor to a first submission at a width of %i px', async (width) => {
    const tab = await scene.tab('&role=other', { viewport: { width, height: 800 } });
    await tab.getByRole('heading', { name: 'Game servers, submitted from Discord' }).waitFor();
    await tab.getByRole('button', { name: 'Try it yourself' }).click();
    await tab.getByRole('option', { name: '/addserver' }).first().waitFor();
    expect(await tab.locator('.composer :focus').inputValue()).toBe('/addserver');
    await tab.keyboard.type(' rust');
    await tab.keyboard.press('Tab');
    await tab.keyboard.type(`${width}.example.com:28015`);
    await tab.keyboard.press('Enter');
    await expect.poll(() => scene.sandbox.listing.submitted.at(-1)?.server).toBe(`${width}.example.com`);
  });

  it('preloads only the modules that the page needs', async () => {
    const tab = await scene.tab();
    const preloaded = (await tab.evaluate(
      `[...document.querySelectorAll('link[rel=modulepreload]')].map(({ href }) => href)`,
    )) as readonly string[];
    await tab.route('**/?token=*', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(/<link rel="modulepreload"[^>]*>/g, '');
      await route.fulfill({ response, body });
    });
    await tab.reload();
    await tab.locator('#page[data-drawn]').waitFor();
    const loaded = (await tab.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /\\.[jt]s$/.test(name))`,
    )) as readonly string[];
    expect(preloaded.toSorted()).toEqual([...new Set(loaded)].toSorted());
  });

  it('opens the form for a pasted or typed command', async () => {
    const tab = await inNewServer();
    await composer(tab).fill('/addservers file:docs/servers.csv');
    await expect.poll(() => tab.locator('input[type=file]').inputValue()).toContain('servers.csv');
    await tab.keyboard.press('Escape');
    await composer(tab).fill('/addserver pasted.example.com port:27015 game:"cs2"');
    await tab.getByRole('form', { name: '/addserver' }).waitFor();
    const typed = (name: string) => tab.locator(`[name=${name}]`).inputValue();
    expect([await typed('game'), await typed('server'), await typed('port')]).toEqual(['cs2', '', '27015']);
    expect(await tab.locator(':focus').getAttribute('name')).toBe('server');
    await tab.keyboard.type('pasted.example.com');
    await tab.keyboard.press('Enter');
    await expect.poll(() => scene.sandbox.listing.submitted.at(-1)?.server).toBe('pasted.example.com');
    await composer(tab).pressSequentially('/help ');
    await tab.getByRole('form', { name: '/help' }).waitFor();
  });

  it("doesn't post messages that begin with a slash", async () => {
    const tab = await inNewServer();
    const before = await answers(tab).count();
    await composer(tab).fill('/setkey sandbox-key-1234');
    await tab.keyboard.press('Enter');
    await tab.getByRole('alert').getByText('/setkey').waitFor();
    expect(await tab.getByRole('alert').textContent()).not.toContain('1234');
    expect(await answers(tab).count()).toBe(before);
    expect(await composer(tab).inputValue()).toBe('/setkey sandbox-key-1234');
  });

  it("lists a user's commands in the chosen language", async () => {
    const tab = await inNewServer();
    await composer(tab).fill('/');
    await tab.getByRole('option', { name: '/addserver' }).first().waitFor();
    expect(await tab.getByRole('option', { name: '/setkey' }).count()).toBe(0);
    expect(await tab.evaluate(CUT_CHOICES)).toBe(0);
    await side(tab).getByLabel('Language').selectOption('de');
    await side(tab).getByLabel('Wer du bist').selectOption('admin');
    const german = tab.getByRole('textbox', { name: 'Nachricht an #general' });
    await german.fill('/setkey');
    await tab
      .getByRole('option', { name: /Schlüssel/ })
      .first()
      .waitFor();
  });

  it('describes the focused option, and shows errors next to form fields', async () => {
    const tab = await inNewServer({ more: '&role=admin' });
    await pickCommand(tab, 'addserver');
    await tab.getByRole('combobox', { name: 'game' }).focus();
    await tab.locator('.composer').getByText("The game's name or alias, such as Rust or cs2").waitFor();
    await tab.getByRole('textbox', { name: 'server', exact: true }).focus();
    await tab.locator('.composer').getByText('The address, such as play.example.com:27015').waitFor();
    await tab.keyboard.press('Escape');
    await run(tab, 'setkey');
    await tab.getByRole('button', { name: 'Submit' }).click();
    await tab.getByRole('dialog').getByRole('alert').getByText('This field is required.').waitFor();
    await expect.poll(() => tab.locator(':focus').getAttribute('id')).toBe('field-key');
  });

  it("rejects option values that Discord wouldn't send", async () => {
    const tab = await inNewServer();
    await run(tab, 'addserver');
    await expect.poll(() => tab.locator(':focus').getAttribute('name')).toBe('game');
    await tab.getByRole('combobox', { name: 'game' }).fill('cs2');
    await tab.getByRole('textbox', { name: 'server', exact: true }).fill('play.example.com:27015');
    await tab.getByRole('spinbutton', { name: 'port', exact: true }).fill('65536');
    await tab.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => tab.locator(':focus').getAttribute('name')).toBe('port');
    expect(await answers(tab).count()).toBe(0);
    await tab.keyboard.press('Escape');
    await composer(tab).waitFor();
  });

  it('shows a private reply only to its recipient, who can dismiss it', async () => {
    const tab = await inNewServer();
    await run(tab, 'help');
    await reply(tab).waitFor();
    await side(tab).getByLabel('Your role').selectOption('other');
    await expect.poll(() => answers(tab).count()).toBe(0);
    await side(tab).getByLabel('Your role').selectOption('member');
    await log(tab).getByRole('button', { name: 'Dismiss message' }).click();
    await expect.poll(() => answers(tab).count()).toBe(0);
  });

  it('shows an alert when a user presses an outdated button', async () => {
    const { discord, people } = scene.sandbox;
    const guild = discord.guildEvents.add({ name: 'Quick' });
    await setKey(people.at({ role: 'admin', guild, locale: 'en-US' }), 'sandbox-key-1234');
    const member = people.at({ role: 'member', guild, locale: 'en-US' });
    const answer = await addServer(member, 'quick.example.com');
    const tab = await scene.tab(`&guild=${guild.id}&role=member`);
    // If `isFrozen` is set, the tab ignores changes to messages.
    await tab.addInitScript(`JSON.parse = ((parse) => {
      let shown;
      return (text) => {
        if (!text.includes('"messages"')) return parse(text);
        if (!window.isFrozen) shown = parse(text);
        return shown;
      };
    })(JSON.parse);`);
    await tab.reload();
    const button = answers(tab).locator('.button.primary');
    const label = (await button.textContent()) ?? '';
    await tab.evaluate('window.isFrozen = true');
    await member.press(answer, label);
    await button.click();
    await tab.getByRole('alert').getByText('This message has just changed. Check it again.').waitFor();
  });

  it('shows messages from other tabs and from the prompt', async () => {
    const [first, second] = [await scene.tab('&role=admin'), await scene.tab('&role=member')];
    const prompt = createPrompt({ sandbox: scene.sandbox, print: () => undefined });
    const before = await reply(first).count();
    await prompt.run('/help');
    await expect.poll(() => reply(first).count()).toBe(before + 1);
    await composer(first).fill('hello from the page');
    await composer(first).press('Enter');
    await log(second).getByText('hello from the page').waitFor();
  });

  it('lets users operate a panel with the keyboard, before and after a restart', async () => {
    const { sandbox } = scene;
    const { discord, listing, people } = sandbox;
    const guild = discord.guildEvents.add({ name: 'Panel' });
    const admin = people.at({ role: 'admin', guild, locale: 'en-US' });
    await setKey(admin, 'sandbox-key-1234');
    await admin.submit(modalOf(await admin.slash('panel')), { text: 'Be kind.' });
    const phone = { viewport: { width: 390, height: 800 } };
    const tab = await scene.tab(`&guild=${guild.id}&role=member`, phone);
    const isSubmitted = (host: string) =>
      expect.poll(() => listing.submitted.at(-1)?.server).toBe(`${host}.example.com`);
    async function press(label: string | RegExp): Promise<void> {
      await tabTo(tab, label);
      await tab.keyboard.press('Enter');
    }
    const dialog = tab.getByRole('dialog');
    async function fillIn(...values: readonly string[]): Promise<void> {
      await dialog.waitFor();
      for (const [index, value] of values.entries()) {
        if (index > 0) await tab.keyboard.press('Tab');
        await tab.keyboard.press('ControlOrMeta+A');
        await tab.keyboard.type(value);
      }
    }
    async function each(name: string): Promise<void> {
      await press('Submit a game server');
      await fillIn('cs2', `${name}-one.example.com:70000`);
      await tab.keyboard.press('Enter');
      await formClosed(tab);
      await log(tab).getByRole('button', { name: 'Edit' }).waitFor();
      await press('Edit');
      await fillIn('cs2', `${name}-one.example.com:27015`);
      await tab.keyboard.press('Enter');
      await formClosed(tab);
      await isSubmitted(`${name}-one`);

      await press('Submit a list');
      await dialog.waitFor();
      expect(await axeViolations(tab)).toEqual([]);
      await tab.keyboard.press('Tab');
      await tab.locator(':focus').setInputFiles({
        name: 'list.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`server,port,game\n${name}-file.example.com,27015,cs2\n`),
      });
      await press('Submit');
      await formClosed(tab);
      await log(tab).getByRole('button', { name: 'Submit 1 game server' }).waitFor();
      await press('Submit 1 game server');
      await isSubmitted(`${name}-file`);
      await press('My submissions');
      await log(tab).getByText('newest first').last().waitFor();
      await log(tab).getByText(`${name}-file.example.com`).filter({ visible: true }).last().waitFor();
    }

    await each('before');
    await sandbox.restart();
    await each('after');
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  // Entries with a suggestion are the longest: four lines in French, and two in Japanese.
  it.for([
    'en-US',
    'fr',
    'ja',
  ])('shows each list entry in at most four lines on a phone (%s)', async (locale) => {
    const { discord, people, listing } = scene.sandbox;
    const guild = discord.guildEvents.add({ name: `Phones ${locale}` });
    await setKey(people.at({ role: 'admin', guild, locale }), 'sandbox-key-1234');
    const member = people.at({ role: 'member', guild, locale });
    const phone = { viewport: { width: 390, height: 800 } };
    const tab = await scene.tab(`&guild=${guild.id}&role=member&locale=${locale}`, phone);
    const own = `${locale.toLowerCase()}.example.com:1 cs2`;
    await paste(
      member,
      `a.example.com cs2\n10.0.0.7:1 rust\nb.example.com:1 counterstrik\nd.example.com:1\n${own}`,
    );
    await listing.behave({ kind: 'html' }, 1);
    await addServer(member, `refused-${own}`.replace(' cs2', ''));
    await member.slash('submissions');
    await member.slash('games');
    await log(tab).locator('.embed-text', { hasText: 'Battlefield 4' }).waitFor();
    const entries = (await tab.evaluate(ENTRIES)) as readonly Entry[];
    expect(entries.length).toBeGreaterThan(20);
    expect(entries.filter(({ isInEmbed, lines }) => lines > (isInEmbed ? 2 : 4))).toEqual([]);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it("lets users submit a message's servers with the keyboard", async () => {
    const tab = await inNewServer();
    await composer(tab).fill('ours: play.example.com:27015\nand menu.example.com:27015');
    await composer(tab).press('Enter');
    await log(tab).getByText('menu.example.com').waitFor();
    await tab.getByRole('button', { name: 'More' }).press('Enter');
    await tab.getByRole('button', { name: /Submit servers/ }).press('Enter');
    await reply(tab).waitFor();
    expect(await answers(tab).count()).toBe(2);
  });

  it('offers sample lists for a file option', async () => {
    const tab = await inNewServer();
    await pickCommand(tab, 'addservers');
    await tab.getByRole('button', { name: 'docs/servers.csv' }).focus();
    await tab.keyboard.press('Enter');
    await expect.poll(() => tab.locator('input[type=file]').inputValue()).toContain('servers.csv');
    expect(await axeViolations(tab)).toEqual([]);
    await tab.getByRole('button', { name: 'Send' }).click();
    await log(tab).getByRole('button', { name: 'Submit 6 game servers' }).waitFor();
  });

  it('accepts multi-line input in a form', async () => {
    const tab = await inNewServer();
    await run(tab, 'addservers');
    await tab.getByRole('dialog').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await drawIn(tab, colorScheme);
      expect(await axeViolations(tab), colorScheme).toEqual([]);
    }
    await tab.keyboard.press('Escape');
    await expect.poll(() => tab.getByRole('dialog').count()).toBe(0);
    await run(tab, 'addservers');
    await tab
      .getByRole('dialog')
      .getByRole('textbox')
      .first()
      .fill('cs2 a.example.com:27015\ncs2 b.example.com:27015');
    await tab.getByRole('button', { name: 'Submit' }).click();
    await reply(tab).waitFor();
  });

  it('lets users choose one or more options in a select menu', async () => {
    const tab = await inNewServer({ more: '&role=admin' });
    await run(tab, 'settings');
    // Excludes the reply about the key, which also contains a select menu.
    const settings = log(tab)
      .getByRole('article')
      .filter({ has: tab.getByRole('combobox', { name: 'Change…' }) });
    const page = log(tab)
      .getByRole('article')
      .filter({ has: tab.getByRole('button', { name: 'All settings' }) });
    await settings.getByRole('combobox', { name: 'Change…' }).selectOption('Log channel');
    await page.getByRole('combobox', { name: 'Choose a log channel' }).selectOption('#staff');
    await page.getByText('#staff').first().waitFor();
    await page.getByRole('button', { name: 'All settings' }).click();
    await settings.getByRole('combobox', { name: 'Change…' }).selectOption('Games');
    const list = log(tab).locator('details', { hasText: 'Games, page' });
    await list.locator('summary').press('Enter');
    await list.getByRole('checkbox', { name: 'Counter-Strike 2' }).press('Space');
    await list.getByRole('checkbox', { name: 'Factorio' }).press('Space');
    expect(await axeViolations(tab)).toEqual([]);
    expect(await log(tab).getByRole('button', { name: 'Allow all games' }).count()).toBe(0);
    await list.getByRole('button', { name: 'Done' }).press('Enter');
    await log(tab).getByRole('button', { name: 'Allow all games' }).waitFor();
  });

  it("clears a select menu's choices when the reply shows a different page", async () => {
    const tab = await inNewServer({ more: '&role=admin' });
    await run(tab, 'settings');
    const settings = answers(tab).last();
    const change = settings.getByRole('combobox', { name: 'Change…' });
    const back = settings.getByRole('button', { name: 'All settings' });
    await change.selectOption('Role for key problems');
    await settings
      .getByRole('combobox', { name: 'Choose a role for key problems' })
      .selectOption('@Server news');
    await settings.getByRole('button', { name: 'Stop mentioning this role' }).waitFor();
    await back.click();
    expect(await change.inputValue()).toBe('');
    await change.selectOption('Log channel');
    const channels = settings.getByRole('combobox', { name: 'Choose a log channel' });
    expect(await channels.inputValue()).toBe('');
    await back.click();
    await change.selectOption('Games');
    const list = settings.locator('details');
    const ticks = list.locator('input[type=checkbox]');
    await list.locator('summary').click();
    for (const index of [0, 1, 4]) await ticks.nth(index).check();
    const first = await ticks.first().getAttribute('value');
    await settings.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => ticks.first().getAttribute('value')).not.toBe(first);
    expect(await list.locator(':checked').count()).toBe(0);
  });

  it('lets users pick a role', async () => {
    const tab = await inNewServer({ more: '&role=admin' });
    await run(tab, 'settings');
    await log(tab).getByRole('combobox', { name: 'Change…' }).selectOption('Role for key problems');
    await log(tab)
      .getByRole('combobox', { name: 'Choose a role for key problems' })
      .selectOption('@Server news');
    await log(tab).getByRole('button', { name: 'Stop mentioning this role' }).waitFor();
  });

  it('accepts a file dropped on a command', async () => {
    const tab = await inNewServer();
    await pickCommand(tab, 'addservers');
    await tab.getByRole('form', { name: '/addservers' }).dispatchEvent('drop', {
      dataTransfer: await tab.evaluateHandle(`(() => {
        const dropped = new DataTransfer();
        const list = 'game,server\\ncs2,dropped.example.com:27015\\n';
        dropped.items.add(new File([list], 'dropped.csv', { type: 'text/csv' }));
        return dropped;
      })()`),
    });
    await tab.getByRole('button', { name: 'Send' }).click();
    await log(tab).getByRole('button', { name: 'Submit 1 game server' }).click();
    await expect.poll(() => scene.sandbox.listing.submitted.at(-1)?.server).toBe('dropped.example.com');
  });

  it('shows the #staff channel only to admins and moderators', async () => {
    const tab = await inNewServer({ more: '&role=admin' });
    const channels = tab.getByRole('navigation', { name: 'Channels' });
    const names = () => channels.getByRole('button').allTextContents();
    await run(tab, 'settings');
    const settings = answers(tab).last();
    await settings.getByRole('combobox', { name: 'Change…' }).selectOption('Log channel');
    await settings.getByRole('combobox', { name: 'Choose a log channel' }).selectOption('#staff');
    await channels.getByRole('button', { name: 'staff' }).click();
    const staff = tab.getByRole('log', { name: 'Messages in #staff' });
    await staff.getByText('log channel. It shows submissions').waitFor();
    expect(await names()).toEqual(['#general', '#staff', '#news', '#questions', '✉Direct messages']);
    await side(tab).getByLabel('Your role').selectOption('moderator');
    await channels.getByText('Moderator').waitFor();
    await staff.getByText('log channel. It shows submissions').waitFor();
    await side(tab).getByLabel('Your role').selectOption('member');
    await composer(tab).waitFor();
    expect(await names()).toEqual(['#general', '#news', '#questions', '✉Direct messages']);
  });

  it("shows direct messages, but doesn't offer commands there", async () => {
    const { discord } = scene.sandbox;
    const tab = await inNewServer();
    const guild = discord.everyGuild.at(-1);
    if (guild === undefined) throw new Error('there is no server');
    const { userId } = memberOf(guild, 'member');
    const api = (path: string, body: object) =>
      fetch(`${discord.apiUrl}/v10${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bot ${scene.sandbox.token}`,
          'user-agent': 'DiscordBot (test, 1)',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      }).then((response) => response.json());
    const { id } = Object(await api('/users/@me/channels', { recipient_id: userId }));
    await api(`/channels/${id}/messages`, { content: 'only for you' });
    await tab.getByRole('button', { name: 'Direct messages' }).click();
    await tab.getByRole('log', { name: 'Messages in Direct messages' }).getByText('only for you').waitFor();
    await tab.getByRole('textbox', { name: 'Message @Listing Bot' }).fill('/');
    expect(await tab.getByRole('option', { name: '/addserver' }).count()).toBe(0);
  });

  it.for([360, 390])("never covers a message's timestamp at a width of %i px", async (width) => {
    const { discord, people } = scene.sandbox;
    const guild = discord.guildEvents.add({ name: `A server with a long name on ${width} px` });
    const admin = people.at({ role: 'admin', guild, locale: 'en-US' });
    await setKey(admin, 'sandbox-key-1234');
    await admin.submit(modalOf(await admin.slash('panel')), { text: 'Be kind.' });
    discord.say(admin, 'ours: play.example.com:27015');
    const phone = { viewport: { width, height: 800 }, hasTouch: true, isMobile: true };
    const tab = await scene.tab(`&guild=${guild.id}`, phone);
    await log(tab).getByRole('button', { name: 'More' }).last().waitFor();
    expect(await tab.evaluate(COVERED_TIMES)).toBe(0);
    await tab.getByRole('combobox', { name: 'Channel', exact: true }).selectOption('#staff');
    await tab.getByText('There are no messages here yet.').waitFor();
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });

  it.for([360, 1000])('traps focus in an open drawer at a width of %i px', async (width) => {
    const tab = await scene.tab('', { viewport: { width, height: 800 } });
    const drawer = tab.getByRole('dialog', { name: 'Sandbox' });
    await tab.getByRole('button', { name: 'Sandbox' }).press('Enter');
    await drawer.waitFor();
    expect(await focusedName(tab)).toBe('Close');
    for (const colorScheme of ['light', 'dark'] as const) {
      await drawIn(tab, colorScheme);
      expect(await axeViolations(tab), colorScheme).toEqual([]);
    }
    const rows = await drawer.locator('a, button, select, summary').all();
    for (const row of rows)
      if (await row.isVisible())
        expect((await row.boundingBox())?.height, (await row.textContent()) ?? '').toBeGreaterThanOrEqual(44);
    await tabTo(tab, /A panel/);
    expect(await drawer.locator(':focus').count()).toBe(1);
    await tab.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    expect(await focusedName(tab)).toBe('Sandbox');
  });

  it("uses German if the user's Discord is in German", async () => {
    const [, second] = scene.sandbox.discord.everyGuild;
    const tab = await scene.tab(`&locale=de&guild=${second?.id}`);
    expect(await tab.getByRole('heading').allInnerTexts()).toEqual([
      ...['#general', 'Spielserver, eingereicht aus Discord', 'Szenarien', 'Du', 'Der Bot', 'Schlechte Tage'],
      ...['Der Listendienst', 'Zwischen Bot und Discord'],
    ]);
  });

  it('renders Discord markup in forms', async () => {
    const tab = await inNewServer();
    const dialog = tab.getByRole('dialog');
    await pickCommand(tab, 'addservers');
    await tab.getByText('Accepted files: .').waitFor();
    await tab.getByRole('button', { name: 'Send' }).click();
    // The bot's own hint names the types.
    await dialog.getByText('A .txt, .csv or .json file').waitFor();
    expect(await dialog.getByText('Accepted files: .').count()).toBe(0);
    await tab.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await run(tab, 'addservers');
    await dialog.getByRole('textbox').first().fill('10.0.0.1:1 cs2\n10.0.0.2:1 rust');
    await tab.getByRole('button', { name: 'Submit', exact: true }).click();
    await log(tab)
      .getByRole('button', { name: /^(Edit|Fix 2 lines)$/ })
      .click();
    await dialog.getByText('• Line 1').waitFor();
    expect(await dialog.locator('p br').count()).toBe(1);
  });

  it('shows requests to Discord, with rule violations in red', async () => {
    const { discord } = scene.sandbox;
    const tab = await scene.tab();
    const before = discord.breaches.length;
    await fetch(`${discord.apiUrl}/v10/users/@me`, { headers: { 'user-agent': 'DiscordBot (test, 1)' } });
    expect(discord.breaches.length).toBe(before + 1);
    const entry = side(tab).locator('li.broken', { hasText: '404: Not Found' }).first();
    // Avoids the mouse, because a new entry could move the list between pressing and releasing the button.
    await entry.locator('summary').press('Enter');
    await entry.getByText('404: Not Found').first().waitFor();
  });

  it('shows "The application did not respond" if the bot has been killed', async () => {
    const tab = await inNewServer();
    await side(tab).getByRole('button', { name: 'kill -9' }).click();
    await side(tab).getByText('It is not running.').waitFor();
    await run(tab, 'help');
    await log(tab).getByText('Sending command…').waitFor();
    expect(await answers(tab).last().getAttribute('aria-label')).toContain('Listing Bot');
    await log(tab).getByText('The application did not respond').waitFor();
    await side(tab).getByRole('button', { name: 'Start' }).click();
    await side(tab).getByText('It is running.').waitFor();
  });

  it('has controls for causing faults and managing API keys', async () => {
    const { listing } = scene.sandbox;
    const tab = await scene.tab();
    const service = side(tab).getByRole('combobox', { name: /^Service/ });
    await service.selectOption('doesn’t accept connections');
    await expect.poll(() => listing.mode.kind).toBe('down');
    await service.selectOption('works normally');
    await expect.poll(() => listing.mode.kind).toBe('ok');
    const discord = side(tab).getByRole('combobox', { name: /^Discord(?! server)/ });
    await discord.selectOption('responds with 503');
    await expect.poll(() => scene.sandbox.discordTrouble).toBe('failing');
    await discord.selectOption('works normally');
    await expect.poll(() => scene.sandbox.discordTrouble).toBe('ok');
    await side(tab)
      .getByText(/^Keys \(/)
      .click();
    await side(tab).getByLabel('A new key for the service to accept').fill('another-key');
    await side(tab).getByRole('button', { name: 'Allow' }).click();
    await side(tab).getByRole('button', { name: 'Revoke another-key' }).click();
    await expect.poll(() => listing.keys).not.toContain('another-key');
  });

  it("doesn't log errors to the console or send requests to other machines", () => {
    expect(scene.complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('a running scenario', () => {
  let scene: PageScene;
  beforeAll(async () => {
    scene = await openPageScene({ read: undefined });
  });
  afterEach(() => scene.closeTabs());
  afterAll(async () => {
    await scene.close();
  });

  const step = (tab: Tab, text: string) => tab.locator('.caption', { hasText: text }).waitFor();
  /** Avoids the mouse, because the caption moves when the preview appears, possibly before the button is released. */
  const press = (tab: Tab, name: string) => tab.getByRole('button', { name, exact: true }).press('Enter');

  it('can be continued, reloaded, replayed, closed and replaced with another', async () => {
    const tab = await scene.tab('&scenario=wrong-first-try', { viewport: { width: 390, height: 500 } });
    await step(tab, '1 of 3');
    await press(tab, 'Next');
    await step(tab, '2 of 3');
    await tab.reload();
    await step(tab, '2 of 3');
    await press(tab, 'Next');
    await step(tab, '3 of 3');
    await log(tab).evaluate('(list) => list.scrollTo(0, 0)');
    await press(tab, 'Next');
    await tab.locator('main[data-scenario=over]').waitFor();
    await expect
      .poll(async () => {
        const { y = 0, height = 0 } = (await answers(tab).last().boundingBox()) ?? {};
        const list = await log(tab).boundingBox();
        return y + height <= (list?.y ?? 0) + (list?.height ?? 0) + 1;
      })
      .toBe(true);
    await press(tab, 'Again');
    await step(tab, '1 of 3');
    await press(tab, 'Sandbox');
    await tab.getByRole('dialog').getByRole('link', { name: 'First key' }).press('Enter');
    await step(tab, '1 of 4');
    await press(tab, 'Close');
    await expect.poll(() => tab.locator('.caption').count()).toBe(0);
    await tab.reload();
    await tab.locator('main[data-scenario=left]').waitFor();
    expect(await tab.locator('.caption').count()).toBe(0);
  });

  it('previews a form in German', async () => {
    const tab = await scene.tab('&scenario=panel&locale=de');
    await step(tab, '1 von 8');
    await press(tab, 'Weiter');
    await expect.poll(() => tab.locator('div.window textarea').inputValue()).toContain('Bitte nur Server');
    await press(tab, 'Schließen');
    await tab.locator('main[data-scenario=left]').waitFor();
  });

  it("doesn't log errors to the console or send requests to other machines", () => {
    expect(scene.complaints).toEqual([]);
  });
});
