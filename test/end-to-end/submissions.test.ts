import { describe, expect } from 'vitest';
import { botTest, messageOf, ownBotTest, type TestGuild, textOf } from '../support/bot.ts';
import { addDone, fill } from '../support/builders.ts';
import { openStoreAt } from '../support/database.ts';
import {
  ACCEPTED,
  addServer,
  csvOf,
  exportAll,
  labelsOf,
  lines,
  openModal,
  paste,
  postPanel,
  pressSubmit,
  reported,
} from '../support/people.ts';

const it = botTest();

/** Returns the content of the reply to /submissions. */
const read = async ({ admin }: Pick<TestGuild, 'admin'>, options = {}, who = admin) =>
  textOf(await who.slash('submissions', options));

/** Submits four servers with different outcomes: the first three as the member, the last as the admin. */
async function addFour({ admin, member, listing }: TestGuild): Promise<void> {
  await addServer(member, 'first.example.com:1', { query_port: 9 });
  const body = { status: 'error', message: '=No **luck**.' };
  await listing.behave({ kind: 'json', status: 400, body }, 1);
  await addServer(member, 'second.example.com:2', { game: 'rust' });
  await listing.behave({ kind: 'reset' }, 1);
  await addServer(member, '[2606:4700::1111]:3', { game: 'ark' });
  await listing.behave({ kind: 'down' });
  await addServer(admin, 'fourth.example.com:4', { game: 'factorio' });
  await listing.behave({ kind: 'ok' });
}

describe('/submissions', () => {
  it("has a submit button if the user hasn't submitted anything yet", async ({ guild, admin, member }) => {
    expect(await read(guild)).toContain('Nothing has been submitted here yet.');
    const none = await member.slash('submissions');
    expect(textOf(none)).toContain("There's nothing here under your name.");
    expect(labelsOf(none)).toEqual(['Submit a game server']);
    const { modal } = await openModal(member, none, 'Submit a game server');
    expect(textOf(await member.submit(modal, { game: 'cs2', server: 'first.example.com:1' }))).toContain(
      ACCEPTED,
    );
    // If a search finds nothing, the reply doesn't offer to submit a server.
    expect(labelsOf(await admin.slash('submissions', { game: 'rust' }))).toEqual(['My submissions']);
    expect(labelsOf(await admin.slash('submissions', { member: admin.userId }))).toEqual([
      'Submit a game server',
    ]);
  });

  it('shows outcomes with their times, newest first', async ({ guild }) => {
    await addFour(guild);
    const all = await read(guild);
    expect(all).toContain('(only you can see this)');
    expect(all).toMatch(
      /4 submissions, newest first.*Factorio fourth\.example\.com:4\n│ ⚠️ not sent · [^\n]*\n[^\n]* couldn't be reached\.\n.*ARK.* \[2606:4700::1111\]:3.*❓ unconfirmed · .*Rust second\.example\.com:2.*rejected · [^\n]*\n│ =No \*\*luck\*\*\.\n.*Counter-Strike 2 first\.example\.com:1 · query port 9\n.*✅ sent for review · (now|\d+ seconds? ago) · by @/s,
    );
    expect(all).not.toMatch(/approved|pending|in review/i);
  });

  it("shows other users' submissions only to admins", async ({ guild, admin, member }) => {
    await addFour(guild);
    const own = await read(guild, {}, member);
    expect(own).toMatch(/My submissions.*3 submissions/s);
    expect(own).not.toMatch(/fourth\.example\.com|by @/);
    expect(await read(guild, { member: admin.userId }, member)).toContain(
      'You can only see your own submissions.',
    );
    expect(await read(guild, { member: member.userId }, member)).toContain('3 submissions');
    expect(await read(guild, { member: admin.userId })).toMatch(/1 submission, .*fourth/s);
    const panel = await postPanel(guild);
    const mine = textOf(await admin.press(panel, 'My submissions'));
    expect(mine).toMatch(/My submissions.*1 submission, .*fourth/s);
    expect(mine).not.toContain('by @');
  });

  it('finds submissions by game, address or outcome', async ({ bot, guild, admin }) => {
    await addFour(guild);
    expect(await read(guild, { game: 'rust' })).toMatch(/1 submission, .*Rust/s);
    expect(await read(guild, { game: 'Counter-Strike 2' })).toMatch(/1 submission, .*first/s);
    expect(await read(guild, { server: 'SECOND' })).toMatch(/1 submission, .*second/s);
    expect(await read(guild, { server: '2606:4700::1111]:3' })).toMatch(/1 submission, .*ARK/s);
    expect(await read(guild, { game: 'cs2', server: 'second' })).toContain('No submissions match.');
    for (const [outcome, server, said] of [
      ['accepted', /first/, 'sent for review'],
      ['rejected', /second/, 'rejected'],
      ['unknown', /2606/, 'unconfirmed'],
      ['not-sent', /fourth/, 'not sent'],
    ] as const) {
      const found = await admin.slash('submissions', { outcome });
      expect(textOf(found)).toMatch(/1 submission, newest first/);
      expect(textOf(found)).toMatch(server);
      const exported = await exportAll(admin, found);
      expect(csvOf(exported, 'submissions.csv').map((row) => row[6])).toEqual([said]);
    }
    const choices = await admin.complete('submissions', 'game', { game: 'minec' });
    expect(choices[0]).toMatchObject({ value: 'minecraft' });
    // The service no longer has this game.
    await bot.store.rows("UPDATE servers SET game = 'gone' WHERE guild_id = ? AND game = 'rust'", guild.id);
    expect(await read(guild, { game: 'gone' })).toMatch(/1 submission, .*second\.example/s);
  });

  it('applies the filter to every page', async ({ admin, member }) => {
    await addServer(admin, 'admins.example.com:1');
    for (let n = 1; n <= 12; n += 1) await addServer(member, `mc.example.com:${n}`, { game: 'minecraft' });
    const found = await admin.slash('submissions', { game: 'minecraft', server: 'mc.ex' });
    expect(textOf(found)).toMatch(/12 submissions.*mc\.example\.com:12\n.*Page 1 of 2/s);
    const second = textOf(await admin.press(found, 'Next'));
    expect(second).toMatch(/12 submissions.*mc\.example\.com:1\n.*Page 2 of 2/s);
    expect(second).not.toContain('admins');
    const own = await member.slash('submissions');
    const next = textOf(await member.press(own, 'Next'));
    expect(next).toMatch(/12 submissions.*Page 2 of 2/s);
    expect(next).not.toContain('admins');
  });

  it('escapes formulas in the exported CSV file', async ({ guild, admin, member }) => {
    await addFour(guild);
    const all = await admin.slash('submissions', { member: member.userId });
    const exported = await exportAll(admin, all);
    expect(exported.ephemeral).toBe(true);
    expect(exported.current?.content).toBe('A spreadsheet file with one game server per row.');
    expect(String(exported.file('submissions.csv'))).toContain(
      '\ufeff"time","member","game","server","port","query_port","outcome","message","moderator","reason","moderator_name","correction"\r\n',
    );
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(csvOf(exported, 'submissions.csv')).toEqual([
      [
        time,
        'member',
        'ark',
        '2606:4700::1111',
        '3',
        '',
        'unconfirmed',
        'The connection to the listing service was lost.',
        '',
        '',
        '',
        '',
      ],
      [time, 'member', 'rust', 'second.example.com', '2', '', 'rejected', "'=No **luck**.", '', '', '', ''],
      [
        time,
        'member',
        'cs2',
        'first.example.com',
        '1',
        '9',
        'sent for review',
        'Servers have been added for review.',
        '',
        '',
        '',
        '',
      ],
    ]);
    const own = await exportAll(member, await member.slash('submissions'));
    expect(String(own.file('submissions.csv'))).not.toContain('fourth');
  });

  it('has buttons for resubmitting unsent or unconfirmed servers', async ({
    guild,
    admin,
    member,
    listing,
  }) => {
    await listing.behave({ kind: 'down' });
    await addServer(member, 'unsent.example.com:1');
    await pressSubmit(member, await paste(member, lines(2)));
    await listing.behave({ kind: 'ok' });
    await addServer(admin, 'admins.example.com:1');
    await listing.behave({ kind: 'reset' }, 1);
    await addServer(member, 'lost.example.com:1');
    const page = await member.slash('submissions');
    expect(labelsOf(page)).toEqual(['Open all 3 unsent', 'Export']);
    // Only the member who submitted the servers gets this button.
    const everyones = await admin.slash('submissions');
    expect(labelsOf(everyones)).toEqual(['Export']);
    expect(labelsOf(await admin.pick(everyones, ['unsent.example.com:1']))).toEqual([]);
    const unsent = await member.pick(page, ['unsent.example.com:1']);
    expect(labelsOf(unsent)).toEqual(['Submit again', 'Edit']);
    const lost = await member.pick(page, ['lost.example.com:1']);
    expect(textOf(lost)).toContain(
      "❓ 1 unconfirmed. It may have arrived. Ask an admin to check the listing service's site",
    );
    for (const [opened, label] of [
      [unsent, 'Submit again'],
      [lost, 'Submit again anyway'],
    ] as const) {
      const answer = await reported(await member.press(opened, label));
      expect(answer.id).not.toBe(messageOf(opened).id);
      expect(textOf(answer)).toContain(ACCEPTED);
    }
    const list = await member.pick(page, ['1. 2 game servers: s0.example.com:27015 and 1 more']);
    expect(labelsOf(list)).toEqual(['Submit 2 unsent', 'Edit']);
    await pressSubmit(member, list);
    expect(textOf(list)).toContain('2 sent for review');
    expect(listing.submitted.map(({ server }) => server)).toEqual(
      expect.arrayContaining(['unsent.example.com', 'lost.example.com', 's0.example.com', 's1.example.com']),
    );
    // The new attempts have replaced those in which nothing was sent.
    expect(labelsOf(await member.slash('submissions'))).toEqual(['Export']);
    expect(textOf(await member.press(page, 'Open all 3 unsent'))).toContain('Nothing of yours is unsent.');
    expect(await read(guild)).toContain('5 submissions');
  });

  it('has a button that creates a draft with all unsent servers', async ({ member, listing }) => {
    await listing.behave({ kind: 'down' });
    await addServer(member, 'one.example.com:1');
    await addServer(member, 'two.example.com:2', { game: 'rust' });
    await listing.behave({ kind: 'ok' });
    const page = await member.slash('submissions');
    const preview = await member.press(page, 'Open all 2 unsent');
    expect(textOf(preview)).toContain('2 game servers are ready.');
    await pressSubmit(member, preview);
    expect(listing.submitted.map(({ server }) => server).toSorted()).toEqual([
      'one.example.com',
      'two.example.com',
    ]);
    const after = await member.slash('submissions');
    expect(textOf(after)).toContain('1 submission,');
    const opened = await member.pick(after, ['1. 2 game servers: two.example.com:2 and 1 more']);
    expect(textOf(opened)).toContain("What was sent can't be changed or removed from here.");
    expect(labelsOf(opened)).toEqual(['Submit another']);
  });

  it('shows how many lines of an unfinished list have already been submitted', async ({ member }) => {
    await paste(member, `${lines(2)}\nleft.example.com:1 cs2\nleft.example.com:0 cs2`);
    expect(textOf(await member.slash('submissions'))).toContain('Unfinished list: 3 ready, 1 to fix.');
    await pressSubmit(member, await paste(member, lines(2)));
    expect(textOf(await member.slash('submissions'))).toContain(
      'Unfinished list: 1 ready, 1 to fix, 2 already submitted.',
    );
  });

  it('no longer shows a list as unfinished once all its lines have been submitted', async ({ member }) => {
    await paste(member, 'older.example.com:1 cs2\nolder.example.com:2 cs2');
    const list = await paste(member, lines(2));
    await paste(member, lines(2));
    expect(textOf(await member.slash('submissions'))).toContain('2 more follow');
    await pressSubmit(member, list);
    const listed = await member.slash('submissions');
    expect(textOf(listed)).toMatch(/Unfinished list: 2 ready, 0 to fix\.(?!.*more follow)/s);
    expect(textOf(await member.press(listed, 'Continue'))).toContain('older.example.com');
  });

  it('shows a "Submit another" button only to the member who submitted the server', async ({
    admin,
    member,
  }) => {
    await addServer(member, 'single.example.com:1');
    const opened = async (who: typeof member) =>
      labelsOf(await who.pick(await who.slash('submissions'), ['single.example.com:1']));
    expect(await opened(member)).toEqual(['Submit another']);
    expect(await opened(admin)).toEqual([]);
  });

  it('shows a whole list as a single entry', async ({ admin, member }) => {
    await pressSubmit(member, await paste(member, 'old.example.com:1 cs2\nold.example.com:2 cs2'));
    await pressSubmit(member, await paste(member, lines(12)));
    await addServer(member, 'single.example.com:1');
    const shown = await admin.slash('submissions');
    expect(textOf(shown)).toMatch(
      /3 submissions.*single\.example\.com:1.*1\. 12 game servers: s0\.example\.com:27015 and 11 more\n[^\n]*✅ 12 sent for review · .* · by @\w+.*2\. 2 game servers: old\.example\.com:1 and 1 more/s,
    );
    const found = await admin.slash('submissions', { server: 's7 example' });
    expect(textOf(found)).toContain('1. 12 game servers: s7.example.com:27015 and 11 more');
    expect(labelsOf(shown)).toEqual(['Export']);
    const servers = await admin.pick(shown, ['1. 12 game servers: s0.example.com:27015 and 11 more']);
    expect(messageOf(servers).id).not.toBe(messageOf(shown).id);
    expect(textOf(servers)).toMatch(
      /12 game servers.*Counter-Strike 2 \(10\)\n│ s0\.example\.com:27015\n│ ✅ sent for review\n.*s1\..*Page 1 of 2/s,
    );
    expect(labelsOf(servers)).toEqual(['Next']);
    await admin.press(servers, 'Next');
    expect(textOf(servers)).toMatch(/12 game servers.*s11\.example\.com.*Page 2 of 2/s);
    expect(labelsOf(servers)).toEqual(['Previous']);
  });
});

const COUNT = 20_000;
const DAY_MS = 86_400_000;

ownBotTest({ env: { HISTORY_DAYS: '7' } })(
  'a history of 20,000 servers is exported as a single file',
  async ({ bot, guild, admin, member }) => {
    const many = await bot.newGuild();
    await bot.process.stop();
    const store = await openStoreAt(bot.store.url);
    const now = Date.now();
    await fill(store, guild.id, { count: COUNT, at: now - 3 * DAY_MS, message: 'long '.repeat(40) });
    const old = { id: 'old', guildId: guild.id, userId: member.userId, hosts: ['old'] };
    await addDone(store, { ...old, at: now - 8 * DAY_MS });
    await store.inGuild(many.id, async () => {
      for (let n = 0; n < 1_001; n += 1) {
        await addDone(store, { id: `${n}`, guildId: many.id, userId: '7', at: now - n, hosts: ['one'] });
      }
    });
    await store.stop();
    await bot.start();
    await expect.poll(() => read(guild, { server: 'old' })).toContain('No submissions match.');
    const shown = await admin.slash('submissions');
    expect(textOf(shown)).toMatch(/20 submissions, newest first.*Page 1 of 2/s);
    const files = await exportAll(admin, shown);
    const file = files.file('submissions.csv');
    expect(file?.length).toBeLessThanOrEqual(10 * 1024 * 1024);
    const rows = (file?.toString() ?? '').trimEnd().split('\r\n').slice(1);
    expect(rows).toHaveLength(COUNT);
    expect(rows[0]).toContain('s19999.example.com');
    expect(rows.at(-1)).toContain('s0.example.com');
    // The pages show at most 1,000 submissions.
    const newest = await many.admin.slash('submissions');
    expect(textOf(newest)).toMatch(
      /1,000\+ submissions, newest first\. These pages show only the newest 1,000\.\n.*Page 1 of 100/s,
    );
    const whole = await exportAll(many.admin, newest);
    expect(csvOf(whole, 'submissions.csv')).toHaveLength(1_001);
  },
);
