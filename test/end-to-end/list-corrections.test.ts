import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Person, SeenModal } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { modalFields } from '../../sandbox/prompt/modal-line.ts';
import { createTestClock } from '../support/clock.ts';
import { csvOf, labelsOf, lines, read, reported, submit, upload } from '../support/lists.ts';
import { listLines, tooWide } from '../support/phone.ts';
import {
  inAppScene,
  inNewGuild,
  messageOf,
  modalOf,
  openAppScene,
  type Scene,
  textOf,
} from '../support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openAppScene({ env: { MEMBER_LIMIT: '5000/3600', GUILD_LIMIT: '20000/3600' } });
});
afterAll(() => scene.close());

const added = (from: number, own: Scene = scene) => own.listing.submitted.slice(from);
const send = (person: Person, content: string, options: Record<string, string> = {}) =>
  person.slash('addservers', { file: upload('list.txt', content), ...options });
const typedIn = (modal: SeenModal) => modalFields(modal.data)[0]?.value ?? '';
const openEdit = async (person: Person, answer: Answer, label = 'Edit') =>
  modalOf(await person.press(messageOf(answer), label));

async function allow(admin: Person, games: readonly string[]): Promise<void> {
  scene.discord.clock.advance(1_000);
  const settings = messageOf(await admin.slash('settings'));
  await admin.press(settings, 'Games …');
  await admin.pick(settings, games);
}

async function setQuota(admin: Person, servers: string): Promise<void> {
  const modal = modalOf(await admin.press(messageOf(await admin.slash('settings')), 'Daily quota …'));
  await admin.submit(modal, { [modalFields(modal.data)[0]?.id ?? '']: servers });
}

/** 250 lines, of which twelve are wrong in five ways: at 10, 30, 50 and so on. */
const WRONG = [
  ...['w0.example.com cs2', 'w1.example.com cs2', 'w2.example.com rust'],
  ...['192.168.0.4:27015 cs2', '10.0.0.7:27015 cs2'],
  ...['w5.example.com:27015 counter-stroke 2', 'w6.example.com:27015 chess'],
  ...['w7.example.com:70000 rust', 'w8.example.com:70000 rust', 'w9.example.com:70001 rust'],
  ...['w10.example.com:27015', 'w11.example.com:27015'],
];
const LIST = lines(250)
  .split('\n')
  .map((line, index) => (index % 20 === 9 && index < 240 ? (WRONG[(index - 9) / 20] ?? line) : line))
  .join('\n');
const RIGHT = new Map([
  ['w0.example.com cs2', 'w0.example.com:27015 cs2'],
  ['w1.example.com cs2', 'w1.example.com:27015 cs2'],
  ['w2.example.com rust', 'w2.example.com:28015 rust'],
  ['192.168.0.4:27015 cs2', 'w3.example.com:27015 cs2'],
  ['10.0.0.7:27015 cs2', 'w4.example.com:27015 cs2'],
  ['counter-stroke 2', 'cs2'],
  ['chess', 'rust'],
  [':70000', ':28015'],
  [':70001', ':28015'],
  ['w10.example.com:27015', 'w10.example.com:27015 cs2'],
  ['w11.example.com:27015', 'w11.example.com:27015 cs2'],
]);
const corrected = (text: string) =>
  [...RIGHT].reduce((all, [wrong, right]) => all.replaceAll(wrong, right), text);

describe.each([
  {
    locale: 'en-US',
    edit: 'Edit',
    words: [
      '238 game servers are ready to be submitted.',
      '10 lines are refused:',
      '• lines 10, 30: no port, usually 27015 (Counter-Strike 2)',
      '• lines 70, 90: private address (Counter-Strike 2)',
      '• line 110: unknown game counter-stroke 2',
      '  Did you mean Counter-Strike 2',
      '• lines 150, 170: port 70000 is above 65535 (Rust)',
      '2 lines name no game (lines 210, 230).',
    ],
    done: '✅ 250 sent for review',
  },
  {
    locale: 'de',
    edit: 'Bearbeiten',
    words: [
      '238 Spielserver können eingereicht werden.',
      '10 Zeilen gehen so nicht:',
      '• Zeilen 10, 30: kein Port, meist 27015 (Counter-Strike 2)',
      '• Zeilen 70, 90: private Adresse (Counter-Strike 2)',
      '• Zeile 110: unbekanntes Spiel counter-stroke 2',
      '  Meintest du Counter-Strike 2',
      '• Zeilen 150, 170: Port 70000 liegt über 65535 (Rust)',
      '2 Zeilen nennen kein Spiel (Zeilen 210, 230).',
    ],
    done: '✅ 250 zur Prüfung gesendet',
  },
])('a list of 250 lines with 12 wrong ones of five kinds ($locale)', ({ locale, edit, words, done }) => {
  it('is corrected and sent with four actions, and every message on the way reads on a phone', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    const member = own.person({ locale });
    const held = scene.listing.submitted.length;
    const messages: SeenMessage[] = [];
    const seen = (answer: Answer) => {
      messages.push(messageOf(answer));
      return answer;
    };

    const preview = seen(await send(member, LIST)); // 1
    for (const sentence of words) expect(textOf(preview)).toContain(sentence);
    expect(tooWide(messageOf(preview))).toEqual([]);
    const modal = await openEdit(member, preview, edit); // 2
    expect(typedIn(modal).split('\n')).toHaveLength(12);
    expect(typedIn(modal)).toContain('10. w0.example.com cs2\n30. w1.example.com cs2');
    const after = seen(await member.submit(modal, { servers: corrected(typedIn(modal)) })); // 3
    expect(messageOf(after).id).toBe(messageOf(preview).id);
    expect(tooWide(messageOf(after))).toEqual([]);
    const [label = ''] = labelsOf(after);
    expect(label).toContain('250');
    const report = await reported(await member.press(messageOf(after), label)); // 4
    expect(read(report)).toContain(done);
    expect(tooWide(report)).toEqual([]);
    expect(listLines(report).length).toBeGreaterThan(5);

    expect(added(held)).toHaveLength(250);
    expect(added(held)[9]).toEqual({ server: 'w0.example.com', port: 27015, game: 'cs2' });
    expect(csvOf(report, 'report.csv').map(([line]) => line)).toEqual(
      Array.from({ length: 250 }, (_, index) => String(index + 1)),
    );
  });
});

describe.each([
  { locale: 'en-US', near: 'minecarft is not a game that the listing service takes. Did you mean' },
  { locale: 'de', near: 'minecarft ist kein Spiel, das der Listendienst annimmt. Meintest du' },
])('an unknown game in the files ($locale)', ({ locale, near }) => {
  it('comes with the games that may have been meant, on each line, in the report too', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    const member = own.person({ locale });
    const content = [
      'a.example.com:1 minecarft',
      'b.example.com:2 zzzzzz',
      'c.example.com:3 minecarft',
      'd.example.com:5 counterstrik',
    ];
    const preview = await send(member, [...content, 'good.example.com:4 minecraft'].join('\n'));
    const reasons = csvOf(messageOf(preview), 'rejected.csv').map((row) => row[5]);
    expect(reasons[0]).toContain(`${near} Minecraft (minecraft)`);
    expect(reasons[1]).not.toContain('?');
    expect(reasons[2]).toBe(reasons[0]);
    expect(reasons[3]).toContain('Counter-Strike 1.6 (cs16)');
    const report = await submit(member, preview);
    expect(csvOf(report, 'rejected.csv').map((row) => row[5])).toEqual(reasons);
    expect(csvOf(report, 'report.csv')[2]?.at(-1)).toBe(reasons[2]);
  });
});

describe('what a preview counts before the press', () => {
  const six = Array.from({ length: 6 }, (_, n) => `q${n}.example.com:27015 cs2`).join('\n');

  it('is the quota of the day: the first go, and the others are not lost', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    await setQuota(own.admin, '4');
    const held = scene.listing.submitted.length;
    const preview = await send(own.member, six);
    const midnight = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400;
    expect(messageOf(preview).current?.content).toContain(
      `**4 of 6 can go today**; the other 2 after <t:${midnight}>.`,
    );
    expect(csvOf(messageOf(preview), 'preview.csv').map(([server]) => server)).toHaveLength(4);
    expect(csvOf(messageOf(preview), 'rejected.csv').map((row) => [row[0], row[5]])).toEqual(
      ['q4.example.com', 'q5.example.com'].map((server) => [
        server,
        expect.stringContaining('more than the daily quota'),
      ]),
    );
    expect(labelsOf(preview)).toEqual(['Submit 4 game servers', 'Cancel']);
    const report = await submit(own.member, preview);
    expect(added(held).map(({ server }) => server)).toEqual([0, 1, 2, 3].map((n) => `q${n}.example.com`));
    expect(read(report)).toContain('✅ 4 sent for review');
    expect(read(report)).toMatch(/⚠️ 2 not sent: wait until/);
    expect(csvOf(report, 'rejected.csv').map(([server]) => server)).toEqual([
      'q4.example.com',
      'q5.example.com',
    ]);
    expect(labelsOf({ kind: 'message', message: report })).toEqual(['Send again', 'Edit']);

    await setQuota(own.admin, '6');
    await submit(own.member, { kind: 'message', message: report });
    expect(added(held)).toHaveLength(6);
    await setQuota(own.admin, '6');
    const none = await send(own.member, 'q9.example.com:27015 cs2');
    expect(textOf(none)).toContain('0 of 1 can go today; the other 1 after');
    expect(labelsOf(none).join()).not.toContain('Submit');
  });

  it('is the limit on members, until enough of it is free again', () => {
    const clock = createTestClock();
    return inAppScene({ key: 'sandbox-key', env: { MEMBER_LIMIT: '4/600' } }, async (own) => {
      const preview = await send(own.member, six);
      expect(textOf(preview)).toContain('4 of 6 can go now; the other 2 after');
      const report = await submit(own.member, preview);
      expect(own.listing.submitted).toHaveLength(4);
      const message = { kind: 'message', message: report } as const;
      const refused = await own.member.press(report, 'Send again');
      expect(textOf(refused)).toContain('You can go on');
      clock.advance(601_000);
      expect(read(await submit(own.member, message))).toContain('2 sent for review');
      expect(own.listing.submitted).toHaveLength(6);
    });
  });

  it('are the games that this Discord server allows; the others are refused lines', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    const settings = messageOf(await own.admin.slash('settings'));
    const games = await own.admin.press(settings, 'Games …').catch(() => undefined);
    const chosen = await own.admin.pick(messageOf(games ?? { kind: 'message', message: settings }), ['cs2']);
    expect(textOf(chosen)).toContain('Counter-Strike 2');
    const preview = await send(
      own.member,
      'a.example.com:1 cs2\nb.example.com:2 rust\nc.example.com:3 rusty',
    );
    expect(textOf(preview)).toContain('1 game server is ready');
    expect(textOf(preview)).toContain('• line 2: game not allowed here (Rust)');
    // What may not be submitted is no help.
    expect(textOf(preview)).not.toContain('Did you mean Rust');
    expect(
      csvOf(messageOf(preview), 'rejected.csv')
        .map((row) => row[5])
        .join(),
    ).not.toContain('Did you');
    const modal = await openEdit(own.member, preview);
    const after = await own.member.submit(modal, { servers: '2. b.example.com:2 cs2' });
    expect(textOf(after)).toContain('2 game servers are ready');
    expect(textOf(after)).not.toContain('refused');
  });

  it('refuses each line of a game that is not allowed, also one that repeats another', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    await allow(own.admin, ['Counter-Strike 2']);
    const rust = 'a.example.com:27015 rust';
    const preview = await send(own.member, `${rust}\n${lines(1)}\n${rust}\n${lines(1)}`);
    expect(textOf(preview)).toContain('2 lines are refused');
    expect(textOf(preview)).toContain('1 line repeats an earlier one and counts once: line 4');
    expect(csvOf(messageOf(preview), 'rejected.csv').map((cells) => cells[4])).toEqual(['1', '3']);
    const report = await submit(own.member, preview);
    const outcomes = csvOf(report, 'report.csv').map((cells) => cells[5]);
    expect(outcomes).toEqual(['not sent', 'sent for review', 'not sent', 'not sent']);
  });

  it('say of no line that it is sent where the one that it repeats is left out', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    await submit(own.member, await send(own.member, lines(1)));
    const preview = textOf(await send(own.member, `${lines(1)}\n${lines(1)}`));
    expect(preview).toContain('was submitted from here before and is left out');
    expect(preview).toContain('1 line repeats an earlier one and counts once: line 2');
    expect(preview).not.toContain('is sent');
  });

  describe.each([
    ['en-US', 'servers of Rust cannot be submitted here', 'lines 1–\u20602', 'Submit'],
    ['de', 'Server für Rust lassen sich hier nicht einreichen', 'Zeilen 1–\u20602', 'absenden'],
  ])('when such a game is meant for all lines (%s)', (locale, says, named, label) => {
    const asksForAnother = (answer: Answer) => {
      expect(textOf(answer)).toContain(says);
      expect(textOf(answer)).toContain(named);
      const shown = JSON.stringify(messageOf(answer).current?.components);
      expect([...shown.matchAll(/"value":"(\w+)"/g)].map(([, alias]) => alias)).toEqual(['cs2']);
    };

    it('another one is chosen in their place, and nothing is lost', async () => {
      const own = await inNewGuild(scene, { key: 'sandbox-key' });
      const person = own.person({ locale });
      await allow(own.admin, ['cs2']);
      const list = 'a.example.com:1\nb.example.com:2';
      const preview = await send(person, list, { game: 'rust' });
      asksForAnother(preview);
      const modal = modalOf(await person.slash('addservers', { game: 'rust' }));
      asksForAnother(await person.submit(modal, { servers: list, game: 'Rust' }));
      const held = scene.listing.submitted.length;
      await person.pick(messageOf(preview), ['cs2']);
      const button = labelsOf(preview).find((each) => each.includes(label)) ?? '';
      await reported(await person.press(messageOf(preview), button));
      await expect.poll(() => added(held).map(({ game }) => game)).toEqual(['cs2', 'cs2']);
    });

    it('and the admins took it back while it could be picked, it is asked for anew', async () => {
      const own = await inNewGuild(scene, { key: 'sandbox-key' });
      const person = own.person({ locale });
      const found = await person.useOnMessage(
        'Submit servers',
        scene.discord.say(own.admin, 'a.example.com:1 and b.example.com:2'),
      );
      const preview = await send(person, 'a.example.com:1\nb.example.com:2');
      await allow(own.admin, ['cs2']);
      asksForAnother(await person.pick(messageOf(preview), ['rust']));
      const again = await person.pick(messageOf(found), ['rust']);
      expect(textOf(again)).toContain(says);
    });
  });

  it('and a list whose game was taken back before Submit says so by its name', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    const preview = await send(own.member, 'a.example.com:1 cs2\nb.example.com:2 rust');
    await allow(own.admin, ['cs2']);
    const before = scene.listing.requests.length;
    await own.member.press(messageOf(preview), 'Submit 2 game servers');
    await expect.poll(() => textOf(preview)).toContain('servers of Rust cannot be submitted here');
    expect(labelsOf(preview)).toEqual(['Submit 1 game server', 'Edit', 'Cancel']);
    expect(scene.listing.requests).toHaveLength(before);
  });
});

describe('Edit', () => {
  it('keeps the numbers of lines, drops those that are taken out, and appends new ones', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    const preview = await send(
      own.member,
      'a.example.com:0 cs2\nb.example.com:1 cs2\nc.example.com:0 cs2\nd:0 cs2',
    );
    const modal = await openEdit(own.member, preview);
    expect(typedIn(modal)).toBe('1. a.example.com:0 cs2\n3. c.example.com:0 cs2\n4. d:0 cs2');
    const after = await own.member.submit(modal, {
      servers: '3. c.example.com:70000 cs2\ne.example.com:5 cs2\nb.example.com:1 cs2\nf.example.com:6 cs2',
    });
    expect(textOf(after)).toContain('• line 3: port 70000 is above 65535 (Counter-Strike 2)');
    expect(textOf(after)).toContain('1 line repeats an earlier one and counts once: line 4.');
    expect(csvOf(messageOf(after), 'preview.csv').map(([server, , , , line]) => [line, server])).toEqual([
      ['1', 'e.example.com'],
      ['2', 'b.example.com'],
      ['5', 'f.example.com'],
    ]);
  });

  it('keeps what it was given before a restart, and shows and keeps no password', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    const preview = await send(
      own.member,
      'steam://connect/p.example.com:70000/hunter2\nq.example.com:0 cs2,27020',
    );
    await scene.restart();
    const modal = await openEdit(own.member, preview);
    expect(typedIn(modal)).not.toContain('hunter2');
    const after = await own.member.submit(modal, {
      servers: '1. connect p.example.com:27015; password hunter2\n2. q.example.com:0 cs2',
    });
    expect(textOf(after)).toContain('1 line names no game (line 1).');
    expect(textOf(after)).not.toContain('hunter2');
    expect(scene.output()).not.toContain('hunter2');
  });

  it('says that the list is gone, and makes a list of what was typed', async () => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    const preview = await send(own.member, 'a.example.com:0 cs2\nb.example.com:1 cs2');
    const modal = await openEdit(own.member, preview);
    await own.member.press(messageOf(preview), 'Cancel');
    const after = await own.member.submit(modal, { servers: '1. a.example.com:7 cs2' });
    expect(textOf(after)).toContain('This list is no longer there');
    expect(textOf(after)).toContain('1 game server is ready');
    await submit(own.member, after);
    const again = await own.member.press(messageOf(await send(own.member, 'x:0')), 'Cancel');
    expect(textOf(again)).toContain('Cancelled');
  });

  it.each([
    { locale: 'en-US', edit: 'Edit', ready: 'game servers are ready' },
    { locale: 'de', edit: 'Bearbeiten', ready: 'Spielserver können eingereicht werden' },
  ])('has room for 4,000 characters; the message says how many lines these are, and where the others are ($locale)', async ({
    locale,
    edit,
    ready,
  }) => {
    const own = await inNewGuild(scene, { key: 'sandbox-key' });
    const member = own.person({ locale });
    const wrong = Array.from({ length: 200 }, (_, n) => `a-rather-long-name-${n}.example.com:0 cs2`).join(
      '\n',
    );
    const preview = await send(member, `${wrong}\ngood.example.com:1 cs2`);
    const modal = await openEdit(member, preview, edit);
    const text = typedIn(modal);
    const count = text.split('\n').length;
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(count).toBeGreaterThan(30);
    expect(textOf(preview)).toContain(
      locale === 'de'
        ? `In Bearbeiten passen die ersten ${count}. Der Rest steht in rejected.csv: Berichtige ihn dort`
        : `Edit has room for the first ${count} of them. The rest is in rejected.csv: correct it there`,
    );
    expect(csvOf(messageOf(preview), 'rejected.csv')).toHaveLength(200);
    const after = await member.submit(modal, { servers: text.replaceAll(':0 ', ':27015 ') });
    expect(textOf(after)).toContain(`${count + 1} ${ready}`);
    // The file of the first preview has the lines that are not kept.
    expect(csvOf(messageOf(after), 'rejected.csv')).toHaveLength(200);
    const report = await submit(member, after);
    expect(csvOf(report, 'rejected.csv')).toHaveLength(200);
    expect(read(report)).toContain('rejected.csv');
  });
});

describe.each([
  { locale: 'en-US', edit: 'Edit', kept: 'What you typed is kept', long: 'so it is not kept' },
  { locale: 'de', edit: 'Bearbeiten', kept: 'Dein Text ist noch da', long: 'wird darum nicht aufgehoben' },
])('what cannot be read as a list ($locale)', ({ locale, edit, kept, long }) => {
  const person = async () => (await inNewGuild(scene, { key: 'sandbox-key' })).person({ locale });
  const paste = async (member: Person, servers: string) =>
    member.submit(modalOf(await member.slash('addservers', { game: 'rust' })), { servers });
  const json = '[\n  {"server": "a.example.com", "port": 1},\n  {"server": "b.example.com", "port": 2}';
  /** Escaped, as it is stored, it is longer than a window. */
  const quoted = `[${'""'.repeat(1_990)}`;

  it.each([
    ['broken JSON', json],
    ['the longest JSON', quoted],
    ['more lines than go at once', Array.from({ length: 1_001 }, () => 'ab').join('\n')],
    ['nothing but a comment', '# later'],
  ])('is kept when it was pasted: %s', async (_, text) => {
    const member = await person();
    const said = await paste(member, text);
    expect(textOf(said)).toContain(kept);
    expect(labelsOf(said)).toEqual([edit]);
    const modal = await openEdit(member, said, edit);
    expect(modalFields(modal.data).map(({ value }) => value)).toEqual([text, 'rust']);
    const worse = await member.submit(modal, { servers: `${json},` });
    expect(messageOf(worse).id).toBe(messageOf(said).id);
    const second = await openEdit(member, worse, edit);
    expect(typedIn(second)).toBe(`${json},`);
    const preview = await member.submit(second, { servers: `${json}]` });
    const held = scene.listing.submitted.length;
    await submit(member, preview);
    expect(added(held).map(({ game }) => game)).toEqual(['rust', 'rust']);
  });

  it('is kept as it is when it was a short file, and is said to be too long where it does not fit', async () => {
    const member = await person();
    expect(typedIn(await openEdit(member, await send(member, json), edit))).toBe(json);
    const large = await send(member, `${lines(1_001)}\n`);
    expect(textOf(large)).toContain(long);
    expect(labelsOf(large)).toEqual([]);
  });

  it('has no passwords', async () => {
    const member = await person();
    const said = await paste(
      member,
      '[{"server": "a.example.com", "password": "hunter2 hunter3", "port": 1}',
    );
    const text = typedIn(await openEdit(member, said, edit));
    expect(text).not.toContain('hunter');
    expect(text).toContain('"port": 1');
  });

  it('is kept when it was edited; the list stays, and its Edit opens what was typed', async () => {
    const member = await person();
    const preview = await send(member, 'a.example.com:0 cs2\ngood.example.com:1 cs2');
    const said = await member.submit(await openEdit(member, preview, edit), { servers: json });
    expect(textOf(said)).toContain(kept);
    expect(labelsOf(preview)).toContain(edit);
    const modal = await openEdit(member, preview, edit);
    expect(typedIn(modal)).toBe(json);
    const after = await member.submit(modal, { servers: '1. a.example.com:0 rust' });
    expect(typedIn(await openEdit(member, after, edit))).toBe('1. a.example.com:0 rust');
    const held = scene.listing.submitted.length;
    await submit(member, after);
    expect(added(held).map(({ server }) => server)).toEqual(['good.example.com']);
  });

  it('is told as gone after ten other drafts', async () => {
    const member = await person();
    const said = await paste(member, json);
    for (let n = 0; n < 10; n++) await paste(member, `[${n}`);
    await member.press(messageOf(said), edit);
    await expect.poll(() => labelsOf(said)).toEqual([]);
  });
});

describe('the report', () => {
  it('names what is unknown, with a button that leads to the list', () =>
    inAppScene(
      { key: 'sandbox-key', env: { LISTING_URL: 'https://list.example.com/?server={address}' } },
      async (own) => {
        await own.listing.behave({ kind: 'status', status: 500 }, 1);
        const report = await submit(own.member, await send(own.member, 'a.example.com:1 rust'));
        expect(read(report)).toContain('❓ 1 unknown');
        expect(read(report)).toContain('• a.example.com:1');
        expect(read(report)).toContain(
          '[ Check the list → https://list.example.com/?server=a.example.com%3A1 ]',
        );
        expect(tooWide(report)).toEqual([]);
      },
    ));

  it('offers what was refused or not sent again, and all of it to be corrected, which counts once', () =>
    inAppScene({ key: 'sandbox-key', env: { MEMBER_LIMIT: '3/600' } }, async (own) => {
      await own.listing.behave(
        { kind: 'json', status: 200, body: { status: 'error', message: 'Invalid game alias provided.' } },
        1,
      );
      const preview = await send(
        own.member,
        'a.example.com:1 rust\nb.example.com:2 rust\nc.example.com:0 rust',
      );
      const report = await submit(own.member, preview);
      expect(read(report)).toContain('❌ 2 refused');
      expect(labelsOf({ kind: 'message', message: report })).toEqual(['Send again', 'Edit']);
      const modal = await openEdit(own.member, { kind: 'message', message: report });
      expect(typedIn(modal)).toBe(
        '1. a.example.com:1 rust\n2. b.example.com:2 rust\n3. c.example.com:0 rust',
      );
      const after = await own.member.submit(modal, {
        servers: typedIn(modal).replaceAll('rust', 'cs2').replace(':0', ':3'),
      });
      expect(textOf(after)).toContain('3 game servers are ready');
      await submit(own.member, after);
      expect(own.listing.submitted).toHaveLength(3);
      // The report is still there, and says so when it is pressed.
      expect(read(report)).toContain('❌ 2 refused');
      expect(textOf(await own.member.press(report, 'Send again'))).toContain('no longer there');
    }));
});

it('the sample list of docs/members.md is submitted as it stands', async () => {
  const own = await inNewGuild(scene, { key: 'sandbox-key' });
  const docs = join(import.meta.dirname, '../../docs');
  const content = readFileSync(join(docs, 'servers.csv'), 'utf8');
  expect(readFileSync(join(docs, 'members.md'), 'utf8')).toContain(`\`\`\`csv\n${content}\`\`\``);
  const preview = await own.member.slash('addservers', { file: upload('servers.csv', content) });
  expect(textOf(preview)).toContain('6 game servers are ready');
  expect(textOf(preview)).not.toContain('refused');
  expect(tooWide(messageOf(preview))).toEqual([]);
});
