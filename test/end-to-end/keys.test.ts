import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { bytesOnDisk } from '../storage/temporary.ts';
import { createTestClock } from '../support/clock.ts';
import { chooseLogChannel, logLines } from '../support/guild-log.ts';
import {
  type AppSceneOptions,
  messageOf,
  openAppScene,
  type Scene,
  setKey,
  textOf,
} from '../support/scene.ts';

const KEY = 'sandbox-key-0123456789-wxyz';

let scene: Scene;
async function open(options: AppSceneOptions = {}): Promise<void> {
  scene = await openAppScene({ listing: { keys: [KEY] }, key: KEY, ...options });
  await chooseLogChannel(scene);
}
afterEach(() => scene.close());

const file = () => join(scene.data, 'bot.sqlite');
let port = 0;
/** Each time another server, since the same one again would bring a warning. */
const submit = async (who = scene.member) =>
  textOf(await who.slash('addserver', { game: 'cs2', server: `play.example.com:${++port}` }));
/** The key as it is encrypted in the store. */
function sealedKey(): string {
  const database = new DatabaseSync(file(), { readOnly: true });
  const row = database.prepare("SELECT value FROM keyv WHERE key LIKE 'api-key:%'").get();
  database.close();
  const data = /"data":"([^"]+)"/.exec(String(row?.value))?.[1];
  assert(data, 'no key is stored');
  return data;
}
const keyStatus = async (who = scene.admin) => textOf(await who.slash('keystatus'));
/** What the log channel says of the key. */
const notices = () => logLines(scene).filter((line) => /this (Discord )?server's API key/.test(line));

describe('/keystatus', () => {
  beforeEach(() => open());

  it('says who set the key and when, its end, and when it last worked, but never the key', async () => {
    const said = await keyStatus();
    expect(said).toContain('(only you can see this)');
    expect(said).toContain('API key ending in wxyz');
    expect(said).toMatch(/Set by @.+ on /);
    expect(said).toMatch(/Last worked .*(now|second)/);
    expect(said).toContain('[ Check now ]');
    expect(said).not.toContain(KEY);
    expect(scene.discord.findSecret(KEY).every(({ path }) => !path.includes('webhooks'))).toBe(true);
  });

  it('says what the service last said of the key, over a restart', async () => {
    await submit();
    expect(await keyStatus()).toMatch(/last said of it .*\n.*Servers have been added for review\./);
    await scene.restart();
    expect(await keyStatus()).toMatch(/last said of it .*\n.*Servers have been added for review\./);
  });

  it('is for members who may manage the server', async () => {
    expect(await scene.member.slash('keystatus')).toMatchObject({ kind: 'refused' });
    scene.discord.setIntegrations(
      { id: scene.member.guildId, name: '', channelId: '' },
      scene.discord.commands().find(({ name }) => name === 'keystatus')?.id ?? '',
      [{ id: scene.member.userId, type: 'user', allow: true }],
    );
    expect(await keyStatus(scene.member)).toContain('This takes the permission “Manage Server”.');
  });

  it('says how to set a key where there is none', async () => {
    const elsewhere = scene.person({ role: 'admin', guild: 1 });
    expect(await keyStatus(elsewhere)).toContain(
      'has no API key for the listing service. Set one with /setkey',
    );
  });

  it('tries the key at a press of its button', async () => {
    const message = messageOf(await scene.admin.slash('keystatus'));
    expect(textOf(await scene.admin.press(message, 'Check now'))).toContain(
      'the listing service takes this key',
    );
    await scene.listing.behave({ kind: 'down' });
    expect(textOf(await scene.admin.press(message, 'Check now'))).toContain(
      'Whether the key works could not be checked.',
    );
    expect(await keyStatus()).not.toContain('❌');
    await scene.listing.behave({ kind: 'ok' });
    scene.listing.revoke(KEY);
    expect(textOf(await scene.admin.press(message, 'Check now'))).toMatch(
      /does not take this key.*Invalid API key\..*has refused it since/s,
    );
    await expect.poll(notices).toHaveLength(1);
  });

  it('speaks German', async () => {
    const said = await keyStatus(scene.person({ role: 'admin', locale: 'de' }));
    expect(said).toContain('API-Schlüssel mit der Endung wxyz');
    expect(said).toContain('[ Jetzt prüfen ]');
  });
});

describe('a key that the service refuses', () => {
  beforeEach(() => open());

  it('is marked: members are told in one sentence, and nothing is sent, over a restart too', async () => {
    scene.listing.revoke(KEY);
    expect(await submit()).toContain('Invalid API key.');
    const sent = scene.listing.requests.length;
    for (let run = 0; run < 2; run++) {
      const said = await submit(scene.person({ role: 'other' }));
      expect(said).toContain('Not sent: the listing service refuses the API key of this Discord server.');
      expect(said).toContain('Ask an admin to renew the key');
      await scene.member.slash('games');
      await scene.member.slash('addserver', { game: 'no-such-game', server: 'play.example.com:27015' });
      expect(scene.listing.requests).toHaveLength(sent);
      await scene.restart();
    }
    expect(await keyStatus()).toMatch(/❌ The listing service has refused it since/);
  });

  it('is told with who set it, who is not notified: in the answer to members, in English and German', async () => {
    scene.listing.revoke(KEY);
    await submit();
    const member = await scene.member.slash('addserver', { game: 'cs2', server: 'play.example.com:1' });
    const { content, mentions } = messageOf(member).current ?? {};
    expect(content).toMatch(/refuses the API key.*Ask an admin to renew the key.*\/setkey/s);
    expect(content).toContain(`It was set by <@${scene.admin.userId}>.`);
    expect(mentions).toEqual([]);
    const german = scene.person({ locale: 'de' });
    expect(await submit(german)).toMatch(/Bitte einen Admin, den Schlüssel zu erneuern.*Gesetzt hat ihn @/s);
  });

  it('is what an admin reads first, whatever command they use, until it is renewed; over a restart too', async () => {
    const first = (answer: Answer) => messageOf(answer).current?.content.split('\n')[0];
    const notice =
      /^❌ The listing service refuses this Discord server's API key.*Renew the key with.*set by <@\d+>\./;
    expect(first(await scene.admin.slash('games'))).not.toMatch(notice);
    // No log channel is needed for it.
    await scene.admin.press(messageOf(await scene.admin.slash('settings')), 'No log channel');
    scene.listing.revoke(KEY);
    await submit();
    await scene.restart();
    const german = scene.person({ role: 'admin', locale: 'de' });
    for (const name of ['games', 'help', 'submissions', 'privacy', 'removekey']) {
      expect(first(await scene.admin.slash(name))).toMatch(notice);
      expect(first(await german.slash(name))).toMatch(
        /^❌ Der Listendienst lehnt .*Erneuere den Schlüssel mit/,
      );
      // In /help it is what to do next, for members too.
      if (!['removekey', 'help'].includes(name)) {
        expect(textOf(await scene.member.slash(name))).not.toContain('refuses this');
      }
    }
    for (const name of ['settings', 'keystatus'])
      expect(first(await scene.admin.slash(name))).not.toMatch(notice);
    scene.listing.allow('the-new-key-9876');
    await setKey(scene.admin, 'the-new-key-9876');
    expect(first(await scene.admin.slash('help'))).not.toMatch(notice);
  });

  it.each([
    ['en-US', /^⚠️ Not sent: .* refuses the API key.*Renew the key with \/setkey\. It was set by @/],
    [
      'de',
      /^⚠️ Nicht gesendet: .* lehnt den API-Schlüssel.* Erneuere den Schlüssel mit \/setkey\. Gesetzt hat ihn @/,
    ],
  ])('is told to an admin who submits once, with what to do about it (%s)', async (locale, said) => {
    const admin = scene.person({ role: 'admin', locale });
    scene.listing.revoke(KEY);
    // The first one is refused by the service, the second one by the bot.
    const texts = [await submit(admin), await submit(admin)].map((text) =>
      text.replace('(only you can see this) ', ''),
    );
    expect(texts[0]).toContain('Invalid API key.');
    expect(texts[1]).toMatch(said);
    for (const text of texts) {
      expect(text.match(/\/setkey/g)).toHaveLength(1);
      expect(text).not.toMatch(/Ask an admin|Bitte einen Admin/);
    }
  });

  it('is told to the admins once', async () => {
    scene.listing.revoke(KEY);
    await Promise.all([submit(), submit(scene.admin), submit(scene.person({ role: 'other' }))]);
    await scene.restart();
    await submit();
    const message = messageOf(await scene.admin.slash('keystatus'));
    await scene.admin.press(message, 'Check now');
    await scene.restart();
    expect(notices()).toEqual([
      expect.stringMatching(/refuses this Discord server's API key.*renew it with/),
    ]);
  });

  it('is marked as well when it was refused for the list of games', async () => {
    await scene.close();
    const clock = createTestClock();
    await open({ env: { GAMES_TTL_SECONDS: '30' } });
    scene.listing.revoke(KEY);
    clock.advance(31_000);
    await scene.member.slash('games');
    await expect.poll(notices).toHaveLength(1);
    expect(await submit()).toContain('⚠️ Not sent: the listing service refuses the API key');
    expect(scene.listing.submitted).toEqual([]);
  });

  it('is in use again once Check now has found that it works', async () => {
    scene.listing.revoke(KEY);
    await submit();
    scene.listing.allow(KEY);
    expect(await submit()).toContain('⚠️ Not sent: the listing service refuses the API key');
    const message = messageOf(await scene.admin.slash('keystatus'));
    const said = textOf(await scene.admin.press(message, 'Check now'));
    expect(said).toContain('the listing service takes this key');
    expect(said).not.toContain('❌');
    expect(await submit()).toContain('Servers have been added for review.');
  });

  it('is in use again once it was renewed with /setkey', async () => {
    scene.listing.revoke(KEY);
    await submit();
    scene.listing.allow('the-new-key-9876');
    await setKey(scene.admin, 'the-new-key-9876');
    expect(await submit()).toContain('Servers have been added for review.');
    expect(await keyStatus()).not.toContain('❌');
  });

  it('of another server is another matter', async () => {
    scene.listing.allow('another-key-4321');
    const elsewhere = scene.person({ role: 'admin', guild: 1 });
    await setKey(elsewhere, 'another-key-4321');
    scene.listing.revoke(KEY);
    await submit();
    expect(await submit(elsewhere)).toContain('Servers have been added for review.');
  });
});

describe('/removekey', () => {
  beforeEach(() => open());

  it('asks once, and after a restart the key is gone from every byte of the database and its log', async () => {
    const sealed = sealedKey();
    expect(bytesOnDisk(file())).toContain(sealed);
    const question = messageOf(await scene.admin.slash('removekey'));
    expect(question.current?.content).toContain('Remove the API key ending in `wxyz`?');
    expect(await submit()).toContain('Servers have been added for review.');

    const said = textOf(await scene.admin.press(question, 'Remove the key'));
    expect(said).toContain('Deleted; last traces leave the file at the next restart.');
    expect(said).not.toContain('[ Remove the key ]');

    expect(await submit()).toContain('This Discord server has no API key for the listing service');
    await expect
      .poll(notices)
      .toEqual([expect.stringMatching(/has removed this Discord server's API key\./)]);
    await scene.restart();
    const bytes = bytesOnDisk(file());
    expect(bytes).not.toContain(`api-key:${scene.admin.guildId}`);
    expect(bytes).not.toContain('wxyz');
    expect(bytes).not.toContain(sealed);
    expect(await submit()).toContain('This Discord server has no API key for the listing service');
    expect(textOf(await scene.admin.slash('removekey'))).toContain('there is nothing to remove');
  });

  it('is left alone with Cancel, and the message loses its buttons', async () => {
    const question = messageOf(await scene.admin.slash('removekey'));
    const said = textOf(await scene.admin.press(question, 'Cancel'));
    expect(said).toBe('(only you can see this) Cancelled. Nothing was removed.');
    expect(question.current?.components).toEqual([]);
    expect(await submit()).toContain('Servers have been added for review.');
    const german = scene.person({ role: 'admin', locale: 'de' });
    const asked = messageOf(await german.slash('removekey'));
    expect(textOf(await german.press(asked, 'Abbrechen'))).toContain('Es wurde nichts entfernt.');
  });

  it('can be confirmed after a restart', async () => {
    const question = messageOf(await scene.admin.slash('removekey'));
    await scene.restart();
    expect(textOf(await scene.admin.press(question, 'Remove the key'))).toContain('Deleted;');
  });

  it('does not remove a key that was set after the question', async () => {
    const question = messageOf(await scene.admin.slash('removekey'));
    scene.listing.allow('the-new-key-9876');
    await setKey(scene.admin, 'the-new-key-9876');
    await scene.admin.press(question, 'Remove the key');
    expect(question.current?.content).toContain('The API key was changed since you were asked');
    expect(question.current?.components).toEqual([]);
    expect(await submit()).toContain('Servers have been added for review.');
  });

  it('tells a member who was given the command that it takes Manage Server', async () => {
    expect(await scene.member.slash('removekey')).toMatchObject({ kind: 'refused' });
    scene.discord.setIntegrations(
      { id: scene.member.guildId, name: '', channelId: '' },
      scene.discord.commands().find(({ name }) => name === 'removekey')?.id ?? '',
      [{ id: scene.member.userId, type: 'user', allow: true }],
    );
    expect(textOf(await scene.member.slash('removekey'))).toContain(
      'This takes the permission “Manage Server”.',
    );
    expect(await submit()).toContain('Servers have been added for review.');
  });
});

describe('the database', () => {
  it('has a key beside it that others must not read: a warning at start says so', async () => {
    await open();
    const keyFile = `${file()}.key`;
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const warnings = () => scene.log().filter(({ level }) => level === 'warn');
    expect(warnings()).toEqual([]);
    await chmod(keyFile, 0o640);
    await scene.restart();
    expect(warnings()).toMatchObject([{ msg: expect.stringContaining('give the file mode 0600') }]);
    expect(scene.output()).not.toContain(readFileSync(keyFile, 'utf8').trim());
    expect(await submit()).toContain('Servers have been added for review.');
  });
});
