import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf, openAppScene, type Scene, textOf } from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openAppScene({ key: 'sandbox-key' });
});
afterAll(() => scene.close());

const submissions = async (options = {}, who = scene.admin) => who.slash('submissions', options);
const add = (game: string, server: string, who = scene.member) => who.slash('addserver', { game, server });

describe('/submissions', () => {
  it('says that there are none', async () => {
    expect(textOf(await submissions())).toContain('Nothing has been submitted here yet.');
    expect(textOf(await submissions({}, scene.member))).toContain(
      'You have not submitted anything here yet.',
    );
  });

  it('shows outcome and time, newest first, and “sent for review”, nothing more', async () => {
    const server = { game: 'cs2', server: 'first.example.com:1', query_port: 9 };
    const answer = await scene.member.slash('addserver', server);
    await scene.listing.behave(
      { kind: 'json', status: 400, body: { status: 'error', message: '=No **luck**.' } },
      1,
    );
    await add('rust', 'second.example.com:2');
    await scene.listing.behave({ kind: 'reset' }, 1);
    await add('ark', '[2606:4700::1111]:3');
    await scene.listing.behave({ kind: 'down' });
    await add('factorio', 'fourth.example.com:4', scene.admin);
    await scene.listing.behave({ kind: 'ok' });
    const said = textOf(await submissions());
    expect(said).toContain('(only you can see this)');
    expect(said).toMatch(
      /4 submissions, newest first.*Factorio — fourth\.example\.com:4.*not sent · .*ARK.* — \[2606:4700::1111\]:3.*❓ unknown · .*Rust — second\.example\.com:2.*refused: =No \*\*luck\*\*\..*Counter-Strike 2 — first\.example\.com:1, query port 9\n.*✅ sent for review · (now|\d+ seconds? ago) · by @/s,
    );
    expect(said).not.toMatch(/approved|pending|in review/i);
    expect(textOf(answer)).toContain('Counter-Strike 2 — first.example.com:1, query port 9');
  });

  it('shows members their own ones only, and all of them to who may manage the server', async () => {
    const own = textOf(await submissions({}, scene.member));
    expect(own).toMatch(/Your submissions.*3 submissions/s);
    expect(own).not.toContain('fourth.example.com');
    const { member, admin } = scene;
    expect(textOf(await submissions({ member: admin.userId }, member))).toContain(
      'You can see your own submissions only.',
    );
    expect(textOf(await submissions({ member: member.userId }, member))).toContain('3 submissions');
    expect(textOf(await submissions({ member: admin.userId }))).toMatch(/1 submission, .*fourth/s);
    const other = scene.person({ role: 'other' });
    expect(textOf(await submissions({}, other))).toContain('You have not submitted anything here yet.');
  });

  it('finds those of a game, by name too, and those of an address', async () => {
    expect(textOf(await submissions({ game: 'rust' }))).toMatch(/1 submission, .*Rust/s);
    expect(textOf(await submissions({ game: 'Counter-Strike 2' }))).toMatch(/1 submission, .*first/s);
    expect(textOf(await submissions({ server: 'SECOND' }))).toMatch(/1 submission, .*second/s);
    expect(textOf(await submissions({ server: '2606:4700::1111]:3' }))).toMatch(/1 submission, .*ARK/s);
    expect(textOf(await submissions({ game: 'cs2', server: 'second' }))).toContain(
      'No submission matches this.',
    );
    const choices = await scene.admin.complete('submissions', 'game', { game: 'minec' });
    expect(choices[0]).toMatchObject({ value: 'minecraft' });
  });

  it('is turned in pages that keep the filter, over a restart too, and never shows others to a member', async () => {
    for (let n = 1; n <= 12; n += 1) await add('minecraft', `mc.example.com:${n}`);
    const message = await submissions({ game: 'minecraft', server: 'mc.ex' });
    expect(textOf(message)).toMatch(/12 submissions.*mc\.example\.com:12\n.*Page 1 of 2/s);
    await scene.restart();
    const second = await scene.admin.press(messageOf(message), 'Next');
    expect(textOf(second)).toMatch(/12 submissions.*mc\.example\.com:1\n.*Page 2 of 2/s);
    expect(textOf(second)).not.toContain('fourth');
    const own = await submissions({}, scene.member);
    expect(textOf(await scene.member.press(messageOf(own), 'Next'))).toMatch(/15 submissions.*Page 2 of 2/s);
  });

  it('is exported as a table that no spreadsheet takes for formulas', async () => {
    const all = await submissions({ member: scene.member.userId });
    const exported = messageOf(await scene.admin.press(messageOf(all), 'Export'));
    expect(exported.ephemeral).toBe(true);
    expect(exported.current?.content).toContain('15 submissions as a file');
    const rows = String(exported.file('submissions.csv')).split('\r\n');
    expect(rows[0]).toContain('"time (UTC)","member","game","address","port","query port","outcome"');
    expect(rows).toHaveLength(17);
    expect(rows.at(-2)).toMatch(
      /^"\d{4}-\d\d-\d\dT.*Z","member","cs2","first\.example\.com","1","9","sent for review"/,
    );
    expect(rows.at(-3)).toContain(`"refused","'=No **luck**."`);
    const own = await submissions({}, scene.member);
    const file = messageOf(await scene.member.press(messageOf(own), 'Export')).file('submissions.csv');
    expect(String(file)).not.toContain('fourth');
  });

  it('belongs to the guild where it was submitted', async () => {
    const elsewhere = scene.person({ role: 'admin', guild: 1 });
    expect(textOf(await submissions({}, elsewhere))).toContain('Nothing has been submitted here yet.');
  });

  it('speaks German', async () => {
    const german = scene.person({ role: 'admin', locale: 'de' });
    expect(textOf(await submissions({ game: 'cs2' }, german))).toMatch(
      /1 Einreichung.*zur Prüfung gesendet/s,
    );
  });
});
