import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inAppScene, inNewGuild, messageOf, openAppScene, type Scene, textOf } from '../support/bot.ts';
import { addDone, fill } from '../support/builders.ts';
import { openStoreAt } from '../support/database.ts';
import { addServer, labelsOf, lines, paste, pressSubmit } from '../support/people.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key' });
});
afterAll(() => scene.close());

const submissions = (options = {}, who = scene.admin) => who.slash('submissions', options);
const said = async (options = {}, who = scene.admin) => textOf(await submissions(options, who));
const add = (game: string, server: string, who = scene.member) => addServer(who, server, { game });

describe('/submissions', () => {
  it('says that there are none', async () => {
    expect(await said()).toContain('Nothing has been submitted here yet.');
    expect(await said({}, scene.member)).toContain('There is nothing here under your name.');
  });

  it('shows outcome and time, newest first, and “sent for review”, nothing more', async () => {
    await addServer(scene.member, 'first.example.com:1', { query_port: 9 });
    const body = { status: 'error', message: '=No **luck**.' };
    await scene.listing.behave({ kind: 'json', status: 400, body }, 1);
    await add('rust', 'second.example.com:2');
    await scene.listing.behave({ kind: 'reset' }, 1);
    await add('ark', '[2606:4700::1111]:3');
    await scene.listing.behave({ kind: 'down' });
    await add('factorio', 'fourth.example.com:4', scene.admin);
    await scene.listing.behave({ kind: 'ok' });
    const all = await said();
    expect(all).toContain('(only you can see this)');
    expect(all).toMatch(
      /4 submissions, newest first.*Factorio fourth\.example\.com:4.*not sent · .*ARK.* \[2606:4700::1111\]:3.*❓ unconfirmed · .*Rust second\.example\.com:2.*rejected: =No \*\*luck\*\*\..*Counter-Strike 2 first\.example\.com:1 · query port 9\n.*✅ sent for review · (now|\d+ seconds? ago) · by @/s,
    );
    expect(all).not.toMatch(/approved|pending|in review/i);
  });

  it('shows members their own ones only, and all of the guild to who may manage it', async () => {
    const { member, admin } = scene;
    const own = await said({}, member);
    expect(own).toMatch(/Your submissions.*3 submissions/s);
    expect(own).not.toContain('fourth.example.com');
    expect(await said({ member: admin.userId }, member)).toContain('You can see only your own submissions.');
    expect(await said({ member: member.userId }, member)).toContain('3 submissions');
    expect(await said({ member: admin.userId })).toMatch(/1 submission, .*fourth/s);
  });

  it('finds those of a game, by name too, and those of an address', async () => {
    expect(await said({ game: 'rust' })).toMatch(/1 submission, .*Rust/s);
    expect(await said({ game: 'Counter-Strike 2' })).toMatch(/1 submission, .*first/s);
    expect(await said({ server: 'SECOND' })).toMatch(/1 submission, .*second/s);
    expect(await said({ server: '2606:4700::1111]:3' })).toMatch(/1 submission, .*ARK/s);
    expect(await said({ game: 'cs2', server: 'second' })).toContain('No submission matches this.');
    const choices = await scene.admin.complete('submissions', 'game', { game: 'minec' });
    expect(choices[0]).toMatchObject({ value: 'minecraft' });
  });

  it('is turned in pages that keep the filter, over a restart too, and never shows others to a member', async () => {
    for (let n = 1; n <= 12; n += 1) await add('minecraft', `mc.example.com:${n}`);
    const found = await submissions({ game: 'minecraft', server: 'mc.ex' });
    expect(textOf(found)).toMatch(/12 submissions.*mc\.example\.com:12\n.*Page 1 of 2/s);
    await scene.restart();
    const second = textOf(await scene.admin.press(found, 'Next'));
    expect(second).toMatch(/12 submissions.*mc\.example\.com:1\n.*Page 2 of 2/s);
    expect(second).not.toContain('fourth');
    const own = await submissions({}, scene.member);
    expect(textOf(await scene.member.press(own, 'Next'))).toMatch(/15 submissions.*Page 2 of 2/s);
  });

  it('is exported as a table that no spreadsheet takes for formulas', async () => {
    const all = await submissions({ member: scene.member.userId });
    const exported = messageOf(await scene.admin.press(all, 'Export'));
    expect(exported.ephemeral).toBe(true);
    expect(exported.current?.content).toContain('A file for a spreadsheet.');
    const rows = String(exported.file('submissions.csv')).split('\r\n');
    expect(rows[0]).toContain('"time","member","game","server","port","query_port","outcome"');
    expect(rows).toHaveLength(17);
    expect(rows.at(-2)).toMatch(
      /^"\d{4}-\d\d-\d\dT.*Z","member","cs2","first\.example\.com","1","9","accepted"/,
    );
    expect(rows.at(-3)).toContain(`"rejected","'=No **luck**."`);
    const own = await scene.member.press(await submissions({}, scene.member), 'Export');
    expect(String(messageOf(own).file('submissions.csv'))).not.toContain('fourth');
  });
});

it('a list is one entry, with what came of its lines behind a button', async () => {
  const own = await inNewGuild(scene, { key: 'sandbox-key' });
  await pressSubmit(own.member, await paste(own.member, lines(12)));
  await addServer(own.member, 'single.example.com:1');
  const shown = await own.admin.slash('submissions');
  expect(textOf(shown)).toMatch(
    /2 submissions.*single\.example\.com:1.*2\. 12 game servers\n.*✅ 12 · .* · by @/s,
  );
  expect(labelsOf(shown)).toEqual(['Show 2', 'Export']);
  const servers = await own.admin.press(shown, 'Show 2');
  expect(messageOf(servers).id).not.toBe(messageOf(shown).id);
  expect(textOf(servers)).toMatch(/12 game servers.*s0\.example\.com.*✅ sent for review.*Page 1 of 2/s);
  expect(labelsOf(servers)).toEqual(['Next']);
  await own.admin.press(servers, 'Next');
  expect(textOf(servers)).toMatch(/12 game servers.*s11\.example\.com.*Page 2 of 2/s);
  expect(labelsOf(servers)).toEqual(['Previous']);
});

const COUNT = 25_000;

it('a long history is exported in as many files as it takes, and loses what is older than HISTORY_DAYS', () =>
  inAppScene({ key: 'sandbox-key', env: { HISTORY_DAYS: '7' } }, async (own) => {
    const { guildId, userId } = own.member;
    const day = 86_400_000;
    await own.bot.stop();
    const store = await openStoreAt(own.store.url);
    const at = Date.now() - 3 * day;
    await fill(store, guildId, { count: COUNT, at, message: 'long '.repeat(60) });
    await addDone(store, { id: 'old', guildId, userId, at: Date.now() - 8 * day, hosts: ['old'] });
    await store.stop();
    await own.startBot();
    const show = async (options = {}) => textOf(await own.admin.slash('submissions', options));
    await expect.poll(() => show({ server: 'old' })).toContain('No submission matches this.');
    const shown = await own.admin.slash('submissions');
    expect(textOf(shown)).toMatch(/25 submissions, newest first.*Page 1 of 3/s);
    const files = messageOf(await own.admin.press(shown, 'Export'));
    expect(files.current?.content).toContain('There are several files');
    const rows = [1, 2].flatMap((n) => {
      const file = files.file(`submissions-${n}.csv`);
      expect(file?.length).toBeLessThanOrEqual(10 * 1024 * 1024);
      return (file?.toString() ?? '').trimEnd().split('\r\n').slice(1);
    });
    expect(rows).toHaveLength(COUNT);
    expect(rows[0]).toContain('s24999.example.com');
    expect(rows.at(-1)).toContain('s0.example.com');
  }));
