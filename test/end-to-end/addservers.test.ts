import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ButtonStyle } from 'discord.js';
import { describe, expect, onTestFinished } from 'vitest';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import type { SeenModal } from '../../sandbox/discord/contract.ts';
import type { Mode } from '../../sandbox/listing/modes.ts';
import type { ListingRequest } from '../../sandbox/listing/stand-in.ts';
import { botTest, messageOf, modalOf, oneBot, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { awayFromMidnight, createTestClock } from '../support/machine.ts';
import {
  addServer,
  adds,
  allowGames,
  componentsOf,
  csvOf,
  deleteName,
  edit,
  labelsOf,
  lines,
  openModal,
  paste,
  pressSubmit,
  removeKey,
  reported,
  sendFile,
  setQuota,
  upload,
} from '../support/people.ts';

type Answering = (count: number, request: ListingRequest) => Mode | undefined;
let answering: ((request: ListingRequest) => Mode | undefined) | undefined;

const it = botTest({
  env: { MEMBER_LIMIT: '5000/3600', GUILD_LIMIT: '5000/3600' },
  listing: { onRequest: (_, request) => (request.action === 'add' ? answering?.(request) : undefined) },
});

/** Sets how the service responds to submissions until the end of the test. `count` starts at 1. */
function answerBy(how: Answering): void {
  let count = 0;
  answering = (request) => {
    count += 1;
    return how(count, request);
  };
  onTestFinished(() => {
    answering = undefined;
  });
}

/** Returns the content of a message without its files. */
const contentOf = (answer: Parameters<typeof messageOf>[0]) => messageOf(answer).current?.content ?? '';

/** Returns the select menus below a message. */
const selectsOf = (answer: Parameters<typeof componentsOf>[0]) =>
  componentsOf(answer).filter(({ placeholder }) => placeholder !== undefined);

const sizes = (guild: TestGuild) => adds(guild).map(({ servers }) => servers.length);
/** Counts how many lines of a report have each outcome. */
function outcomes(report: Parameters<typeof csvOf>[0]): Readonly<Record<string, number>> {
  const found = csvOf(report, 'report.csv').map((row) => row[5] ?? '');
  const kinds = [...new Set(found)];
  return Object.fromEntries(kinds.map((kind) => [kind, found.filter((each) => each === kind).length]));
}

describe('/addservers', () => {
  it('submits the servers from a file', async ({ member, listing }) => {
    const servers = [
      { server: 'a.json.net', port: 27015, game: 'cs2' },
      { server: 'b.json.net', port: 25565, query_port: 25566, game: 'minecraft' },
    ];
    const file = upload('LIST.JSON', JSON.stringify(servers));
    const preview = await member.slash('addservers', { file });
    expect(textOf(preview)).toContain('2 game servers are ready.');
    expect(messageOf(preview).current?.attachments).toEqual([]);
    // A preview of ready lines doesn't have the colour for warnings.
    expect(messageOf(preview).current?.embeds[0]?.color ?? 0).toBe(0);
    expect(listing.submitted).toEqual([]);
    const report = await pressSubmit(member, preview);
    expect(contentOf(report)).toContain('✅ **2 sent for review.** “Servers have been added for review.”\n');
    expect(messageOf(report).current?.attachments).toEqual([]);
    expect(listing.submitted).toEqual(servers);
  });

  it('shows what is wrong with each invalid line', async ({ member, listing }) => {
    const others = Array.from({ length: 6 }, (_, n) => `m${n + 7}.example.com:27015 cs2`);
    const preview = await paste(
      member,
      [
        '\ufeffm1.example.com:27015 cs2',
        '',
        'm3.example.com,27017,minecraft,27018',
        'm1.example.com:27015 cs2',
        '192.168.0.4:27015 cs2',
        'm6.example.com:27015 minecarft',
        ...others,
      ].join('\r\n'),
    );
    const text = textOf(preview);
    for (const words of [
      '(only you can see this)',
      '2 lines need fixing:',
      'Line 5 192.168.0.4:27015 cs2: private address',
      'minecarft: unknown game minecarft. Did you mean Minecraft',
      '8 game servers are ready.',
      '1 line repeats an earlier one and counts only once: line 4.',
    ]) {
      expect(text).toContain(words);
    }
    const report = await pressSubmit(member, preview);
    expect(textOf(report)).toContain('1 line repeats an earlier one and counts only once: line 4.');
    const reasons = csvOf(report, 'not-sent.csv').map((row) => row[5]);
    expect(reasons[0]).toContain("can't be reached from the internet");
    expect(reasons[1]).toContain('Did you mean Minecraft (minecraft)');
    expect(labelsOf(report)).toEqual(['Fix 2 lines']);
    expect(listing.submitted.slice(0, 2).map(({ server }) => server)).toEqual([
      'm1.example.com',
      'm3.example.com',
    ]);
    expect(String(report.file('report.csv'))).toContain(
      '"line","server","port","query_port","game","outcome","message"\r\n',
    );
    expect(
      csvOf(report, 'report.csv')
        .slice(0, 5)
        .map((row) => row.slice(0, 6)),
    ).toEqual([
      ['1', 'm1.example.com', '27015', '', 'cs2', 'sent for review'],
      ['3', 'm3.example.com', '27017', '27018', 'minecraft', 'sent for review'],
      ['4', 'm1.example.com', '27015', '', 'cs2', 'not sent'],
      ['5', '192.168.0.4:27015', '', '', 'cs2', 'not sent'],
      ['6', 'm6.example.com:27015', '', '', 'minecarft', 'not sent'],
    ]);
  });

  it('uses the `game` option for lines without a game', async ({ member, listing }) => {
    await pressSubmit(
      member,
      await sendFile(member, 'a1.example.com:1\na2.example.com:2 rust', { game: 'tf2' }),
    );
    await pressSubmit(member, await paste(member, 'w1.example.com:27015', { game: 'rust' }));
    expect(listing.submitted.map(({ game }) => game)).toEqual(['tf2', 'rust', 'rust']);
  });

  it('quotes an unknown game and suggests only the closest match', async ({ member, listing }) => {
    const preview = await sendFile(member, 'g1.example.com:1', { game: 'Counter-Stroke 2' });
    expect(textOf(preview)).toContain('unknown game Counter-Stroke 2. ');
    expect(labelsOf(preview)).toEqual(['Use Counter-Strike 2', 'Edit', 'Cancel']);
    await pressSubmit(member, await member.press(preview, 'Use Counter-Strike 2'));
    expect(listing.submitted).toEqual([{ server: 'g1.example.com', port: 1, game: 'cs2' }]);
  });

  it('offers to use the second port on each line as the query port', async ({ member, listing }) => {
    const preview = await paste(
      member,
      'The Island | a.example.com:7777 | 27015\nRagnarok | b.example.com:7777 | 27015',
      { game: 'ark' },
    );
    const fixed = await member.press(preview, '27015 is the query port (2)');
    await pressSubmit(member, fixed);
    expect(listing.submitted).toEqual([
      { server: 'a.example.com', port: 7777, query_port: 27015, game: 'ark' },
      { server: 'b.example.com', port: 7777, query_port: 27015, game: 'ark' },
    ]);
  });

  it.for([
    [
      'is larger than its declared size',
      '#'.repeat(256 * 1024 + 1),
      /larger than 256 KiB.*You'll need to choose the file again\./,
    ],
    [
      "isn't text",
      Buffer.from('89504e470d0a1a0a0000000d', 'hex'),
      /isn't a text file.*You'll need to choose the file again\./,
    ],
    ['is empty', ' '.repeat(10), /⚠️ list\.txt is empty\./],
    ["doesn't contain a server", '# nothing\n', /No game servers were found/],
    [
      'has too many servers',
      lines(1001),
      /⚠️ list\.txt has more than 1,000 game servers\. Split it up\..*You'll need to choose the file again\./,
    ],
  ] as const)('rejects a file that %s and lets the member choose another', async ([_what, content, words], {
    member,
    listing,
  }) => {
    const file = { ...upload('list.txt', content), size: 10, contentType: 'text/plain' };
    const refused = await member.slash('addservers', { file, game: 'rust' });
    expect(textOf(refused)).toMatch(words);
    const { modal } = await openModal(member, refused);
    expect(textOf(await member.submit(modal, { servers: '', file }))).toMatch(words);
    const again = await openModal(member, refused);
    const right = upload('right.txt', 'right.example.com:1');
    await pressSubmit(member, await member.submit(again.modal, { ...again.typed, servers: '', file: right }));
    expect(listing.submitted).toEqual([{ server: 'right.example.com', port: 1, game: 'rust' }]);
  });

  it('rejects a file with the wrong extension', async ({ discord, member }) => {
    onTestFinished(() => discord.gateway.disturbDispatch({}));
    discord.gateway.disturbDispatch({
      alter: (payload) =>
        JSON.parse(JSON.stringify(payload).replace('"filename":"list.txt"', '"filename":"list.exe"')),
    });
    expect(textOf(await sendFile(member, lines(1)))).toContain('Only files ending in .txt, .csv or .json');
  });

  it('reports duplicate entries in a JSON list', async ({ member }) => {
    const servers = JSON.stringify(Array(3).fill('c.example.com:1 rust'));
    const preview = await member.submit(modalOf(await member.slash('addservers')), { servers });
    expect(textOf(preview)).toContain('2 lines repeat earlier ones and count only once: lines 2-3.');
  });

  it("reads the form's text before the attached file", async ({ member, listing }) => {
    const modal = modalOf(await member.slash('addservers'));
    const file = upload('b.json', JSON.stringify([{ server: 'b.example.com', port: 2 }, 'a.example.com:1']));
    const typed = { servers: 'a.example.com:1\nwrong.example.com:0', game: 'rust', file };
    const preview = await member.submit(modal, typed);
    expect(textOf(preview)).toContain('Line 2 wrong.example.com:0');
    expect(textOf(preview)).toContain('1 line repeats an earlier one and counts only once: line 4.');
    await pressSubmit(member, preview);
    expect(listing.submitted.map(({ server }) => server)).toEqual(['a.example.com', 'b.example.com']);
    const none = await member.submit(modalOf(await member.slash('addservers')), {});
    expect(textOf(none)).toContain('Nothing was entered.');
    expect(labelsOf(none)).toEqual(['Edit']);
  });

  it('recognises table columns by name and lists ignored ones', async ({ member, listing }) => {
    const table =
      'Spiel;IP;Port;Abfrageport;Nummer\nRust;a.example.com;1;2;30001\ncs2;b.example.com;3;4;30002';
    const preview = await sendFile(member, table);
    expect(textOf(preview)).toContain("These columns weren't used: Nummer.");
    await pressSubmit(member, preview);
    expect(listing.submitted).toMatchObject([
      { server: 'a.example.com', port: 1, query_port: 2, game: 'rust' },
      { server: 'b.example.com', port: 3, query_port: 4, game: 'cs2' },
    ]);
  });

  it('shows a select menu with the allowed games if they all fit', async ({ guild, member, listing }) => {
    await allowGames(guild, ['ark', 'cs2']);
    const games = (modal: SeenModal) => modalFields(modal.data).find(({ id }) => id === 'game');
    const modal = modalOf(await member.slash('addservers', { game: 'ARK: Survival Evolved' }));
    expect(games(modal)).toMatchObject({ kind: 'select', value: 'ark' });
    await pressSubmit(member, await member.submit(modal, { servers: 'r.example.com:1' }));
    // A game can be disallowed while the form is open.
    const late = modalOf(await member.slash('addservers'));
    await allowGames(guild, ['cs2']);
    const preview = await member.submit(late, { servers: 'l.example.com:1', game: 'ark' });
    expect(textOf(preview)).toMatch(/game ark .*allowed here/);
    expect(listing.submitted.map(({ game }) => game)).toEqual(['ark']);
  });

  it('accepts the examples in docs/members.md and docs/servers.csv', async ({ member }) => {
    const docs = join(import.meta.dirname, '../../docs');
    const page = readFileSync(join(docs, 'members.md'), 'utf8');
    const example = (kind: string) => page.split(`\`\`\`${kind}\n`)[1]?.split('```')[0] ?? '';
    const counts = new Map([
      [example('csv'), 2],
      [example('text'), 4],
      [readFileSync(join(docs, 'servers.csv'), 'utf8'), 6],
    ]);
    for (const [list, count] of counts) {
      const preview = await sendFile(member, list, { game: 'css' });
      expect(textOf(preview)).toContain(`${count} game servers are ready`);
      expect(textOf(preview)).not.toContain('fixing');
    }
  });
});

describe('a list preview', () => {
  it('comes with a file that can be submitted as is', async ({ member, listing }) => {
    const servers = Array.from({ length: 11 }, (_, n) => ({
      server: n === 0 ? '2606:4700::1' : `p${n}.example.com`,
      port: 27015 + n,
      ...(n < 10 && { query_port: 27115 + n }),
      game: n < 5 ? 'cs2' : 'rust',
    }));
    const preview = await sendFile(member, JSON.stringify(servers));
    const name = 'preview.csv';
    const file = upload(name, messageOf(preview).file(name) ?? '');
    const again = await member.slash('addservers', { file });
    expect(csvOf(messageOf(again), name).map((row) => row.slice(0, 4))).toEqual(
      csvOf(messageOf(preview), name).map((row) => row.slice(0, 4)),
    );
    await pressSubmit(member, again);
    expect(listing.submitted).toEqual(servers);
  });

  it('leaves out already submitted servers unless the member includes them', async ({ member, listing }) => {
    await pressSubmit(member, await paste(member, 'f2.example.com:27015 cs2'));
    const preview = await paste(member, lines(11).replaceAll('s1.', 'f2.'));
    expect(textOf(preview)).toContain('10 game servers are ready');
    expect(textOf(preview)).toMatch(
      /1 already submitted:\n• f2\.example\.com:27015: ✅ sent for review · Counter-Strike 2 · .* · by you/,
    );
    expect(labelsOf(preview)).toEqual([
      'Submit 10 game servers',
      'Include 1 already submitted',
      'Edit',
      'Cancel',
    ]);
    const included = await member.press(preview, 'Include 1 already submitted');
    expect(labelsOf(included)).toContain('Submit 11 game servers');
    const without = await member.press(included, 'Skip 1 already submitted');
    const report = await pressSubmit(member, without);
    expect(outcomes(report)).toEqual({ 'sent for review': 10, 'not sent': 1 });
    expect(listing.submitted).toHaveLength(11);
  });

  it("lets the member fix lines even if the guild doesn't have an API key", async ({
    admin,
    member,
    listing,
  }) => {
    const preview = await paste(member, `${lines(3)}\n10.0.0.1:27015 cs2`);
    await removeKey(admin);
    await member.press(preview, 'Submit 3 game servers');
    await expect
      .poll(() => textOf(preview))
      .toMatch(/no API key.*Ask someone with the “Manage Server” permission/s);
    expect(labelsOf(preview)).toEqual(['Submit 3 game servers', 'Fix 1 line', 'Edit', 'Cancel']);
    await edit(member, preview, { servers: '4. right.example.com:27015 rust' });
    await expect.poll(() => textOf(preview)).toContain('4 game servers are ready');
    expect(textOf(preview)).toContain('no API key');
    expect(labelsOf(preview)).toEqual(['Submit 4 game servers', 'Edit', 'Cancel']);
    expect(listing.submitted).toEqual([]);
    expect(labelsOf(await paste(admin, lines(1)))[0]).toBe('Enter an API key');
    await setKey(admin, 'sandbox-key');
    expect(textOf(await pressSubmit(member, preview))).toContain('4 sent for review');
  });

  it('shows which servers have to wait because of the daily quota', async ({ guild, member, listing }) => {
    await setQuota(guild, '10');
    const preview = await sendFile(member, lines(21));
    const midnight = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400;
    // In the last 15 minutes before midnight, the member can simply press the button again.
    const isSoon = midnight * 1_000 - Date.now() <= 15 * 60_000;
    const later = isSoon
      ? ''
      : " The bot won't send the rest by itself: after that, use \\*\\*Continue\\*\\* in [^\n]*";
    expect(messageOf(preview).current?.content).toMatch(
      new RegExp(
        `10 game servers are ready.*\\*\\*11 have to wait\\*\\* until <t:${midnight}>: the daily quota of 10 game servers is used up\\.${later}\n- Line 11 .s10.*\n- Line 12 .s11`,
        's',
      ),
    );
    const held = csvOf(messageOf(preview), 'to-fix.csv').map((row) => [row[0], row[5]]);
    expect(held).toHaveLength(11);
    expect(held[1]).toEqual([
      's11.example.com',
      expect.stringContaining('the daily quota of 10 game servers is used up'),
    ]);
    expect(labelsOf(preview)).toEqual(['Submit 10 game servers', 'Edit', 'Cancel']);
    // The member submits another server before pressing the button.
    await addServer(member, 'used.example.com:1');
    const report = await pressSubmit(member, preview);
    expect(listing.submitted.map(({ server }) => server)).toEqual(
      ['used', ...Array.from({ length: 9 }, (_, n) => `s${n}`)].map((name) => `${name}.example.com`),
    );
    expect(textOf(report)).toMatch(/✅ 9 sent for review.*⚠️ 12 have to wait until/s);
    if (!isSoon) expect(textOf(report)).toContain('use Continue in');
    expect(csvOf(report, 'report.csv').at(-1)?.at(-1)).toContain(
      'the daily quota of 10 game servers is used up',
    );
    await setQuota(guild, '13');
    await pressSubmit(member, await edit(member, report, {}));
    expect(listing.submitted).toHaveLength(13);
  });

  it('suggests only allowed games', async ({ guild, member, listing }) => {
    await allowGames(guild, ['cs2']);
    const unknown = Array.from({ length: 9 }, (_, n) => `c${n}.example.com:3 rusty`);
    const list = ['a.example.com:1 cs2', 'b.example.com:2 rust', ...unknown];
    const preview = await sendFile(member, list.join('\n'));
    expect(textOf(preview)).toContain('1 game server is ready');
    expect(textOf(preview)).toContain("Line 2 b.example.com:2 rust: the game rust isn't allowed here");
    expect(textOf(preview)).not.toContain('Did you mean');
    const forAll = await sendFile(member, 'a.example.com:1\nb.example.com:2', { game: 'rust' });
    expect(textOf(forAll)).toContain("the game rust isn't allowed here");
    await pressSubmit(member, await member.pick(forAll, ['cs2']));
    expect(listing.submitted.map(({ game }) => game)).toEqual(['cs2', 'cs2']);
  });

  it('has one select menu for two game servers on the same line', async ({ member }) => {
    const preview = await paste(member, 'a.example.com:1 b.example.com:2');
    expect(selectsOf(preview).map(({ placeholder }) => placeholder)).toEqual(['Game for lines 1 and 1b']);
  });

  it('has a select menu that changes only the lines it names', async ({ member, listing }) => {
    const preview = await paste(
      member,
      [
        'none.example.com:1',
        'near.example.com:2 Minecarft',
        'odd.example.com:3 qqqqqq',
        'wild.example.com:4 wwwwww',
      ].join('\n'),
    );
    expect(textOf(preview)).toContain('4 lines need fixing:');
    expect(textOf(preview)).toContain('• Line 1 none.example.com:1: no game');
    const [missing, unknown] = selectsOf(preview);
    expect([missing?.placeholder, unknown?.placeholder]).toEqual([
      'Game for line 1',
      'Game for lines 3 and 4',
    ]);
    const first = await member.pick(preview, ['cs2']);
    expect(labelsOf(first)).toContain('Submit 1 game server');
    expect(textOf(first)).toContain('3 lines need fixing');
    expect(textOf(first)).toContain('1 game server is ready');
    expect(selectsOf(first).map(({ placeholder }) => placeholder)).toEqual([unknown?.placeholder]);
    const second = await member.pick(first, ['rust']);
    expect(textOf(second)).toMatch(/1 line needs fixing:\n• Line 2 near.* Did you mean Minecraft/);
    expect(selectsOf(second)).toEqual([]);
    await pressSubmit(member, await member.press(second, 'Use Minecraft'));
    expect(listing.submitted.map(({ server, game }) => [server, game])).toEqual([
      ['none.example.com', 'cs2'],
      ['near.example.com', 'minecraft'],
      ['odd.example.com', 'rust'],
      ['wild.example.com', 'rust'],
    ]);
  });

  it('gives the reason only once if no servers can be sent', async ({ guild, member, listing }) => {
    awayFromMidnight();
    await pressSubmit(member, await paste(member, lines(3)));
    const again = await paste(member, `${lines(3)}\n${lines(1)}`);
    expect(textOf(again)).toContain('Nothing new: 3 already submitted.');
    expect(textOf(again)).not.toContain('will be sent');
    expect(labelsOf(again)).toEqual(['Include 3 already submitted', 'Edit', 'Cancel']);
    await setQuota(guild, '3');
    const more = await paste(member, lines(2).replaceAll(/^s/gm, 'more'));
    expect(contentOf(more).match(/used up/g)).toHaveLength(1);
    expect(textOf(more)).toMatch(/2 have to wait until .*: the daily quota of 3 game servers is used up\./);
    expect(labelsOf(more)).toEqual(['Edit', 'Cancel']);
    await setQuota(guild, '4');
    const late = await paste(member, lines(2).replaceAll(/^s/gm, 'late'));
    await addServer(member, 'between.example.com:1');
    await member.press(late, 'Submit 1 game server');
    await expect.poll(() => textOf(late)).toContain('2 have to wait');
    expect(contentOf(late).match(/used up/g)).toHaveLength(1);
    expect(labelsOf(late)).toEqual(['Edit', 'Cancel']);
    expect(listing.submitted).toHaveLength(4);
  });

  it('shows an error if an admin disallows one of its games', async ({ guild, member, listing }) => {
    const lacking = await sendFile(member, 'a.example.com:1\nb.example.com:2');
    expect(textOf(lacking)).not.toContain('Nothing is ready to submit');
    const ready = await sendFile(member, 'a.example.com:1 cs2\nb.example.com:2 rust');
    await allowGames(guild, ['cs2']);
    expect(textOf(await member.pick(lacking, ['rust']))).toContain("the game rust isn't allowed here");
    await member.press(ready, 'Submit 2 game servers');
    await expect.poll(() => textOf(ready)).toContain("the game rust isn't allowed here");
    expect(labelsOf(ready)).toEqual(['Submit 1 game server', 'Fix 1 line', 'Edit', 'Cancel']);
    expect(listing.submitted).toEqual([]);
  });

  it("can't be submitted after the member deletes their name", async ({ member, listing }) => {
    const preview = await paste(member, 'good.example.com:1 cs2\nother.example.com:1 cs2');
    await deleteName(member);
    expect(textOf(await pressSubmit(member, preview))).toMatch(/was deleted\. Nothing was sent this time\./);
    expect(labelsOf(preview)).toEqual(['Edit']);
    expect(listing.submitted).toEqual([]);
  });

  it("can't be restored with Undo more than 15 minutes after Cancel", async () => {
    const clock = createTestClock();
    const { member } = await (await oneBot()).newGuild({ key: 'sandbox-key' });
    const cancelled = await member.press(await paste(member, lines(2)), 'Cancel');
    clock.advance(16 * 60_000);
    const late = await member.press(cancelled, 'Undo');
    expect(textOf(late)).toContain('Undo only works for 15 minutes.');
    expect(labelsOf(late)).toEqual([]);
  });

  it('includes a file with every line that needs fixing', async ({ member }) => {
    const lines = Array.from({ length: 12 }, (_, n) => `no-game-${n}.example.com:1`);
    const preview = await paste(member, ['127.1:5 cs2', ...lines, 'good.example.com:1 cs2'].join('\n'));
    const rows = csvOf(messageOf(preview), 'to-fix.csv');
    expect(rows.map((row) => row[4])).toEqual(Array.from({ length: 13 }, (_, n) => String(n + 1)));
    expect(rows.at(-1)?.at(-1)).toContain('no game');
    expect(textOf(preview)).toContain('13 lines need fixing:');
    expect(textOf(preview)).toContain('… and 8 more\nAll of them are in to-fix.csv.');
  });

  it('offers to include unconfirmed servers first, then already submitted ones', async ({
    member,
    listing,
  }) => {
    await pressSubmit(member, await paste(member, lines(4)));
    answerBy(() => ({ kind: 'status', status: 500 }));
    const more = lines(2).replaceAll(/^s/gm, 'lost');
    await pressSubmit(member, await paste(member, more));
    answerBy(() => undefined);
    const both = `${lines(4)}\n${more}`;
    const again = await paste(member, both);
    expect(textOf(again)).toMatch(
      /Nothing is ready to submit\.\s+2 unconfirmed:\n• lost0\.[^\n]*❓ unconfirmed [^\n]*\n• lost1\.[^\n]*\n4 already submitted:\n• s0\./,
    );
    expect(labelsOf(again)).toEqual(['Include 2 unconfirmed', 'Edit', 'Cancel']);
    // Nothing is left to do in this list.
    expect(textOf(await member.slash('submissions'))).not.toContain('Unfinished');
    const included = await member.press(again, 'Include 2 unconfirmed');
    const labels = ['Submit 2 game servers', 'Skip 2 unconfirmed', 'Include 4 already submitted'];
    expect(labelsOf(included)).toEqual([...labels, 'Edit', 'Cancel']);
    expect(textOf(await member.slash('submissions'))).toContain(
      'Unfinished list: 2 ready, 0 to fix, 4 already submitted.',
    );
    const all = await member.press(included, 'Include 4 already submitted');
    expect(labelsOf(all)).toEqual(['Submit 6 game servers', 'Skip 4 already submitted', 'Edit', 'Cancel']);
    const some = await member.press(all, 'Skip 4 already submitted');
    expect(labelsOf(some)).toEqual([...labels, 'Edit', 'Cancel']);
    expect(labelsOf(await member.press(some, 'Skip 2 unconfirmed'))).toEqual(labelsOf(again));
    await pressSubmit(member, await member.press(await paste(member, both), 'Include 2 unconfirmed'));
    expect(listing.submitted.map(({ server }) => server.replace(/\..*/, ''))).toEqual([
      ...['s0', 's1', 's2', 's3'],
      ...['lost0', 'lost1'],
    ]);
  });
});

describe('a list with a single server', () => {
  it('is previewed after the member accepts a suggested fix', async ({ member, listing }) => {
    const shown = await paste(member, 'one.example.com cs2');
    expect(textOf(shown)).toContain('Needs fixing: no port (default is 27015).');
    expect(labelsOf(shown)).toEqual(['Use 27015', 'Edit', 'Cancel']);
    const ready = await member.press(shown, 'Use 27015');
    expect(textOf(ready)).toContain('1 game server is ready.');
    expect(labelsOf(ready)).toEqual(['Submit 1 game server', 'Edit', 'Cancel']);
    expect(listing.submitted).toEqual([]);
    const report = await pressSubmit(member, ready);
    expect(textOf(report)).toContain('✅ Sent for review. “Servers have been added for review.”');
    expect(report.current?.attachments).toEqual([]);
    expect(listing.submitted).toEqual([{ server: 'one.example.com', port: 27015, game: 'cs2' }]);
  });

  it('needs confirmation if the port is ambiguous', async ({ member, listing }) => {
    const shown = await paste(member, 'game=rust\nip=one.example.com\nbeacon_port=15000');
    expect(textOf(shown)).toContain(
      "Needs fixing: unclear port ?15000. If this is the game server's port, remove the question mark.",
    );
    await edit(member, shown, { port: '15000' });
    await expect.poll(() => textOf(shown)).toContain('Servers have been added for review.');
    expect(listing.submitted).toEqual([{ server: 'one.example.com', port: 15000, game: 'rust' }]);
  });

  it('is previewed if the file also contains unrelated text', async ({ member, listing }) => {
    const chatter = Array.from({ length: 30 }, (_, n) => `we had fun on day ${n}`);
    const preview = await sendFile(member, [...chatter, 'found.example.com:1'].join('\n'), {
      game: 'rust',
    });
    expect(textOf(preview)).toContain('1 game server is ready.');
    expect(textOf(preview)).toContain('30 comments or lines without a game server were left out: 1-30.');
    expect(listing.submitted).toEqual([]);
    await member.press(preview, 'Cancel');
    const lacking = await sendFile(member, [...chatter, 'found.example.com:1'].join('\n'));
    expect(textOf(lacking)).toMatch(
      /1 game server without a game.*30 comments or lines without a game server/s,
    );
  });
});

it('a member can fill in skipped lines in the Edit form', async ({ member, listing }) => {
  const preview = await paste(
    member,
    'a.example.com:1 rust\n# offline: b.example.com:2\nb dot example dot com',
  );
  expect(textOf(preview)).toContain('2 comments or lines without a game server were left out: 2-3.');
  const { modal, typed } = await openModal(member, preview, 'Edit');
  expect(JSON.stringify(modal.data)).toContain(
    '2 comments or lines without a game server were left out: 2-3.',
  );
  expect(typed.servers).toBe('1. a.example.com:1 Rust\n2. \n3. ');
  await member.submit(modal, { servers: `${typed.servers}b.example.com:2 rust` });
  expect(textOf(preview)).toContain('1 comment or line without a game server was left out: 2.');
  await pressSubmit(member, preview);
  expect(listing.submitted.map(({ server }) => server)).toEqual(['a.example.com', 'b.example.com']);
});

it('the Edit button opens the single-server form if only one line is left', async ({ member, listing }) => {
  const report = await pressSubmit(member, await paste(member, 'a.example.com:1 cs2\nb.example.com:0 rust'));
  const { modal, typed } = await openModal(member, report);
  expect(typed).toEqual({ game: 'rust', server: 'b.example.com:0', port: '', query_port: '' });
  const answer = await member.submit(modal, { ...typed, server: 'b.example.com:2' });
  expect(textOf(answer)).toContain('✅ Sent for review. “Servers have been added for review.”');
  // Submitting the last line doesn't change the report.
  expect(textOf(report)).toContain('✅ 1 sent for review.');
  expect(listing.submitted).toEqual([
    { server: 'a.example.com', port: 1, game: 'cs2' },
    { server: 'b.example.com', port: 2, game: 'rust' },
  ]);
  const both = await edit(member, await paste(member, 'c.example.com rust'), {
    server: 'c.example.com:3 d.example.com:4',
  });
  expect(textOf(both)).toContain('2 game servers are ready.');
  expect(listing.submitted).toHaveLength(2);
});

describe('a suggested game', () => {
  it('applies only to the lines it was suggested for', async ({ member, listing }) => {
    const list = 'a.example.com:1 minecarft\nb.example.com:2 factorrio\nc.example.com:3 zzzzzz';
    const preview = await paste(member, list);
    const taken = await member.press(preview, 'Use the suggested games (2)');
    expect(textOf(taken)).toContain('2 game servers are ready');
    expect(textOf(taken)).toContain('unknown game zzzzzz');
    await pressSubmit(member, taken);
    expect(listing.submitted.map(({ game }) => game)).toEqual(['minecraft', 'factorio']);
  });

  it('is also offered if the game option is misspelt', async ({ member, listing }) => {
    const preview = await sendFile(member, 'a.example.com:1\nb.example.com:2', { game: 'minecarft' });
    await pressSubmit(member, await member.press(preview, 'Use Minecraft'));
    expect(listing.submitted.map(({ game }) => game)).toEqual(['minecraft', 'minecraft']);
    const several = await addServer(member, '8.8.8.8:11 8.8.8.8:12', { game: 'factorrio' });
    await pressSubmit(member, await member.press(several, 'Use Factorio'));
    expect(listing.submitted.map(({ game }) => game)).toEqual([
      'minecraft',
      'minecraft',
      'factorio',
      'factorio',
    ]);
  });
});

describe('the Edit button', () => {
  it('lets a member fix 12 invalid lines in four steps', async ({ member, listing }) => {
    const noPort = Array.from({ length: 10 }, (_, n) => `w${n}.example.com cs2`);
    const noGame = ['w10.example.com:27015', 'w11.example.com:27015'];
    const preview = await sendFile(member, [...noPort, ...noGame, lines(238)].join('\n')); // 1
    for (const words of [
      '12 lines need fixing:',
      '• Line 1 w0.example.com cs2: no port (default is 27015)',
      '• Line 5 w4.example.com cs2: no port (default is 27015)\n… and 7 more\nAll of them are in to-fix.csv.',
      '238 game servers are ready.',
    ]) {
      expect(textOf(preview)).toContain(words);
    }
    const { modal, typed } = await openModal(member, preview); // 2
    expect(JSON.stringify(modal.data)).toContain('- Line 12: no game');
    expect(typed.servers).toMatch(
      /^1\. w0\.example\.com Counter-Strike 2\n.*\n12\. w11\.example\.com:27015$/s,
    );
    const right = Array.from({ length: 12 }, (_, n) => `${n + 1}. right${n}.example.com:27015 cs2`);
    const after = await member.submit(modal, { servers: right.join('\n') }); // 3
    expect(messageOf(after).id).toBe(messageOf(preview).id);
    const report = await reported(await member.press(after, 'Submit 250 game servers')); // 4
    expect(textOf(report)).toContain('✅ 250 sent for review');
    expect(listing.submitted[0]).toEqual({ server: 'right0.example.com', port: 27015, game: 'cs2' });
  });

  it('opens a form with as many lines as fit', async ({ member }) => {
    const wrong = Array.from({ length: 200 }, (_, n) => `a-rather-long-name-${n}.example.com:0 cs2`);
    const preview = await sendFile(member, `${wrong.join('\n')}\ngood.example.com:1 cs2`);
    const { modal, typed } = await openModal(member, preview);
    const count = typed.servers?.split('\n').length ?? 0;
    expect(count).toBeGreaterThan(30);
    expect(textOf(preview)).toContain(
      `Only the first ${count} lines fit in the form. Fix the rest in to-fix.csv`,
    );
    const after = await member.submit(modal, { servers: typed.servers?.replaceAll(':0 ', ':1 ') ?? '' });
    expect(textOf(after)).toContain(`${count + 1} game servers are ready`);
    expect(csvOf(messageOf(after), 'to-fix.csv')).toHaveLength(200 - count);
    const next = (await openModal(member, after)).typed.servers ?? '';
    expect(next).toMatch(new RegExp(`^${count + 1}\\. a-rather-long-name-${count}\\.example\\.com`));
    expect(csvOf(await pressSubmit(member, after), 'not-sent.csv')).toHaveLength(200 - count);
  });

  it('opens a form with all lines if none need fixing', async ({ member, listing }) => {
    const preview = await paste(member, 'one.example.com:1 cs2\ntwo.example.com:2 cs2');
    expect(labelsOf(preview)).toEqual(['Submit 2 game servers', 'Edit', 'Cancel']);
    const after = await edit(member, preview, {
      servers: '1. one.example.com:1 Counter-Strike 2\n2. two.example.com:3 cs2\n127.1:5 cs2',
    });
    expect(messageOf(after).id).toBe(messageOf(preview).id);
    expect(labelsOf(after)).toEqual(['Submit 2 game servers', 'Fix 1 line', 'Edit', 'Cancel']);
    expect((await openModal(member, after, 'Fix 1 line')).typed.servers).toBe('3. 127.1:5 Counter-Strike 2');
    expect((await openModal(member, after, 'Edit')).typed.servers?.split('\n')).toHaveLength(3);
    await pressSubmit(member, after);
    expect(listing.submitted.map(({ port }) => port)).toEqual([1, 3]);
  });

  it('creates a new draft if the old one no longer exists', async ({ member, listing }) => {
    const preview = await sendFile(member, 'good.example.com:1 cs2\nx.example.com:0 cs2');
    const { modal } = await openModal(member, preview);
    expect(textOf(await member.press(preview, 'Cancel'))).toContain("won't be sent.");
    expect(messageOf(preview).current?.attachments).toEqual([]);
    const after = await member.submit(modal, { servers: '2. x.example.com:5 cs2' });
    expect(textOf(after)).toContain('This was cancelled.');
    await pressSubmit(member, after);
    expect(listing.submitted).toEqual([{ server: 'x.example.com', port: 5, game: 'cs2' }]);
  });

  it('still works after the list is cancelled and restored in /submissions', async ({ member, listing }) => {
    const preview = await paste(member, 'good.example.com:1 cs2\nx.example.com:0 cs2');
    const history = await member.slash('submissions');
    expect(textOf(history)).toContain('Unfinished list: 1 ready, 1 to fix.');
    const continued = await member.press(history, 'Continue');
    expect(messageOf(continued).id).not.toBe(messageOf(preview).id);
    await expect.poll(() => textOf(continued)).toContain('1 line needs fixing');
    expect(labelsOf(await member.press(continued, 'Cancel'))).toEqual(['Undo']);
    expect(textOf(await member.slash('submissions'))).not.toContain('Unfinished');
    expect(textOf(await member.press(preview, 'Submit 1 game server'))).toContain(
      'This was cancelled. What was shown here before may be out of date.',
    );
    await member.press(continued, 'Undo');
    await pressSubmit(member, continued);
    expect(listing.submitted).toEqual([{ server: 'good.example.com', port: 1, game: 'cs2' }]);
    const after = await member.slash('submissions');
    expect(textOf(after)).toContain('Unfinished list: 0 ready, 1 to fix.');
    const toFix = await member.press(after, 'Continue');
    // The other line has been sent.
    expect(textOf(await member.press(toFix, 'Cancel'))).not.toContain('Nothing was sent');
    await member.press(toFix, 'Undo');
    await edit(member, toFix, { server: 'x.example.com:5' });
    await expect.poll(() => listing.submitted.map(({ port }) => port)).toEqual([1, 5]);
    expect(labelsOf(await member.slash('submissions'))).not.toContain('Continue');
  });

  it.for([
    'Submit 2 game servers',
    'Cancel',
  ])('shows the outcome if the list was submitted from another reply (as does "%s")', async (label, {
    member,
    listing,
  }) => {
    const preview = await paste(member, 'a.example.com:1 cs2\nb.example.com cs2\nc.example.com:3 rust');
    const continued = await member.press(await member.slash('submissions'), 'Continue');
    await member.press(continued, 'Use the default port');
    await pressSubmit(member, continued);
    expect(textOf(await member.press(preview, 'Edit'))).toMatch(/already submitted\..*✅ 3 sent for review/s);
    const after = await member.press(preview, label);
    expect(messageOf(after).id).toBe(messageOf(preview).id);
    await expect.poll(() => textOf(after)).toMatch(/^[^\n]*already submitted\.\s+✅ 3 sent for review/);
    expect(textOf(after)).not.toMatch(/out of date|needs fixing|are ready/);
    expect(labelsOf(after)).toEqual(['Submit another', 'My submissions']);
    expect(listing.submitted).toHaveLength(3);
  });

  it('offers only "My submissions" if a long list was already submitted', async ({ member }) => {
    const preview = await paste(member, lines(11));
    const continued = await member.press(await member.slash('submissions'), 'Continue');
    await pressSubmit(member, continued);
    const after = await member.press(preview, 'Edit');
    await expect.poll(() => textOf(after)).toContain('already submitted');
    expect(textOf(after)).not.toContain('report.csv');
    expect(textOf(after)).not.toMatch(/these \d+ lines/i);
    expect(messageOf(after).id).toBe(messageOf(preview).id);
    expect(labelsOf(after)).toEqual(['My submissions']);
  });

  it("reopens the form with the member's text if it isn't a list", async ({ member, listing }) => {
    const words = 'our servers\nare the best';
    const said = await paste(member, words, { game: 'rust' });
    expect(textOf(said)).toMatch(/No game servers were found/);
    expect(labelsOf(said)).toEqual(['Edit']);
    const { modal, typed } = await openModal(member, said);
    expect(typed).toEqual({ servers: words, file: '', game: 'rust' });
    const worse = await member.submit(modal, { servers: `${words}!` });
    expect(messageOf(worse).id).toBe(messageOf(said).id);
    expect((await openModal(member, worse)).typed.servers).toBe(`${words}!`);
    await pressSubmit(member, await edit(member, worse, { servers: 'a.example.com:1\nb.example.com:2' }));
    expect(listing.submitted.map(({ game }) => game)).toEqual(['rust', 'rust']);

    const list = await sendFile(member, `${lines(999)}\nx.example.com:0 cs2`);
    const two = 'x.example.com:1 cs2\ny.example.com:1 cs2';
    expect(textOf(await edit(member, list, { servers: two }))).toMatch(/more than 1,000/);
    expect((await openModal(member, list)).typed.servers).toBe(two);

    const inFile = await sendFile(member, words);
    expect(textOf(inFile)).toMatch(/No game servers were found/);
    expect((await openModal(member, inFile)).typed.servers).toBe(words);
  });
});

describe('the report on a list', () => {
  it('has buttons to correct or resubmit rejected and unsent servers', async ({ member, listing }) => {
    const body = { status: 'error', message: 'Invalid game alias provided.' };
    answerBy(() => ({ kind: 'json', status: 200, body }));
    const list = 'a.example.com:1 rust\nb.example.com:2 rust\nc.example.com:0 rust';
    const report = await pressSubmit(member, await sendFile(member, list));
    answerBy(() => undefined);
    expect(textOf(report)).toContain('❌ 2 rejected');
    expect(labelsOf(report)).toEqual(['Edit', 'Submit again']);
    expect(componentsOf(report).map(({ style }) => style)).toEqual([
      ButtonStyle.Primary,
      ButtonStyle.Secondary,
    ]);
    const { modal, typed } = await openModal(member, report);
    expect(typed.servers).toBe('1. a.example.com:1 Rust\n2. b.example.com:2 Rust\n3. c.example.com:0 Rust');
    const after = await member.submit(modal, { servers: typed.servers?.replaceAll(':0', ':3') ?? '' });
    await pressSubmit(member, after);
    expect(listing.submitted).toHaveLength(3);
    // The report doesn't change. Its button only shows that the list was already submitted.
    expect(textOf(report)).toContain('❌ 2 rejected');
    expect(textOf(await member.press(report, 'Submit again'))).toContain('This was already submitted.');
    expect(labelsOf(report)).toEqual(['My submissions']);
  });

  it('still lets the member edit the list after the draft has expired', async () => {
    const clock = createTestClock();
    const body = { status: 'error', message: 'Invalid game alias provided.' };
    const rejects = { kind: 'json', status: 200, body } as const;
    const onRequest = (_: number, { action }: ListingRequest) => (action === 'add' ? rejects : undefined);
    const bot = await oneBot({ listing: { onRequest } });
    const { member } = await bot.newGuild({ key: 'sandbox-key' });
    const list = 'a.example.com:1 rust\nb.example.com:2 rust\nc.example.com:0 rust';
    const report = await pressSubmit(member, await sendFile(member, list));
    clock.advance(86_400_000);
    expect(textOf(await member.press(report, 'Submit again'))).toContain('These buttons no longer work:');
    // The only remaining button reopens the form.
    expect(labelsOf(report)).toEqual(['Edit']);
    const reopened = await openModal(member, report, 'Edit');
    expect(reopened.typed.servers).toBe(list);
  });

  it('has attachments if the list has more than ten lines', async ({ member }) => {
    const body = { status: 'error', message: 'Invalid game alias provided.' };
    answerBy(() => ({ kind: 'json', status: 200, body }));
    const wrong = Array.from({ length: 9 }, (_, n) => `w${n}.example.com:0 rust`);
    const filesOf = (answer: Parameters<typeof messageOf>[0]) =>
      messageOf(answer).current?.attachments.map(({ filename }) => filename);

    const short = await sendFile(member, ['a.example.com:1 rust', ...wrong].join('\n'));
    const shortReport = await pressSubmit(member, short);
    for (const answer of [short, shortReport]) {
      expect(filesOf(answer)).toEqual([]);
      expect(textOf(answer)).toMatch(/w0\.example\.com.*w8\.example\.com/s);
      expect(textOf(answer)).not.toMatch(/more|\.csv/);
    }

    const long = await sendFile(
      member,
      ['a.example.com:1 rust', 'b.example.com:2 rust', ...wrong].join('\n'),
    );
    // The preview's text names every line.
    expect(filesOf(long)).toEqual([]);
    const report = await pressSubmit(member, long);
    expect(filesOf(report)).toEqual(['report.csv', 'rejected.csv', 'not-sent.csv']);
    expect(textOf(report)).toContain('To correct or submit again: rejected.csv and not-sent.csv');
    expect(csvOf(report, 'rejected.csv').map(([server]) => server)).toEqual([
      'a.example.com',
      'b.example.com',
    ]);
    expect(csvOf(report, 'not-sent.csv')).toHaveLength(9);
  });

  it("has attachments if the service's messages are too long", async ({ member }) => {
    answerBy((count) => {
      const message = `${count} ${'why '.repeat(45)}`;
      return { kind: 'json', status: 200, body: { status: 'error', message } };
    });
    const report = await pressSubmit(member, await sendFile(member, lines(10)));
    expect(csvOf(report, 'report.csv')).toHaveLength(10);
    expect(textOf(report)).toContain('… and others, for other reasons.');
  });

  it("doesn't count lines from an earlier submission of the list", async ({ member }) => {
    const wrong = Array.from({ length: 11 }, (_, n) => `w${n}.example.com:0 cs2`);
    const first = await paste(
      member,
      ['a.example.com:1 cs2', 'a.example.com:1 cs2', 'our very best ones', ...wrong].join('\n'),
    );
    expect(textOf(first)).toMatch(/1 line repeats.*1 comment or line without a game server/s);
    const report = await pressSubmit(member, first);
    const { modal, typed } = await openModal(member, report, 'Fix 11 lines');
    const preview = await member.submit(modal, { servers: typed.servers?.replaceAll(':0', ':2') ?? '' });
    expect(textOf(preview)).toContain('11 game servers are ready.');
    expect(textOf(preview)).not.toMatch(/repeats|left out/);
    expect(textOf(await pressSubmit(member, preview))).toContain('These 11 lines: report.csv');
  });

  it('still has a button for unconfirmed servers after the rejected ones are resubmitted', async ({
    member,
    listing,
  }) => {
    const body = { status: 'error', message: 'Invalid game alias provided.' };
    answerBy((count) =>
      count === 1 ? { kind: 'status', status: 500 } : { kind: 'json', status: 200, body },
    );
    const report = await pressSubmit(member, await sendFile(member, lines(101)));
    expect(outcomes(report)).toEqual({ unconfirmed: 100, rejected: 1 });
    expect(labelsOf(report)).toEqual(['Edit', 'Submit again', 'Submit all 101 again']);
    answerBy(() => undefined);
    const rest = await pressSubmit(member, report);
    expect(textOf(rest)).toMatch(/✅ 1 sent for review.*❓ 100 unconfirmed\. .*internal error/s);
    expect(outcomes(rest)).toEqual({ unconfirmed: 100, 'sent for review': 1 });
    expect(labelsOf(rest)).toEqual(['Submit all 100 again', 'Edit']);
    const all = await member.press(rest, 'Submit all 100 again');
    expect(outcomes(await reported(all))).toEqual({ 'sent for review': 100 });
    expect(listing.submitted).toHaveLength(101);
  });

  it('lets the member resubmit servers if the key is revoked mid-submission', async ({
    guild,
    admin,
    member,
    listing,
  }) => {
    listing.allow('old-key');
    await setKey(admin, 'old-key');
    answerBy((count) => {
      if (count === 2) listing.revoke('old-key');
      return undefined;
    });
    const report = await pressSubmit(member, await sendFile(member, lines(250)));
    expect(sizes(guild)).toEqual([100, 100]);
    expect(outcomes(report)).toEqual({ 'sent for review': 100, rejected: 100, 'not sent': 50 });
    expect(textOf(report)).toMatch(
      /❌ 150 not accepted: the listing service rejects .* API key\. There's nothing wrong with your lines\. The listing service says:\n│ Invalid API key\.\n@.* set the key and can replace it with \/setkey\.\n/,
    );
    expect(contentOf(report)).not.toMatch(/Line \d/);
    expect(componentsOf(report).map(({ style }) => style)).not.toContain(ButtonStyle.Primary);
    await setKey(admin, 'sandbox-key');
    // Servers rejected because of the key are sent again; the service never checked them.
    const rest = await pressSubmit(member, report);
    expect(outcomes(rest)).toEqual({ 'sent for review': 150 });
    expect(textOf(rest)).toContain('✅ 150 sent for review. “Servers have been added for review.”');
  });

  it('is preceded by a progress bar without buttons', async ({ member, discord }) => {
    answerBy(() => ({ kind: 'slow', ms: 700 }));
    const preview = await sendFile(member, lines(600));
    const from = discord.requests.length;
    const pressed = member.press(preview, 'Submit 600 game servers');
    await expect.poll(() => textOf(preview)).toMatch(/Sending….*[▰▱]{20} 0 \/ 600/s);
    expect(textOf(preview)).not.toMatch(/ready|Submitting/);
    expect(labelsOf(preview)).toEqual([]);
    await pressed;
    expect(outcomes(await reported(preview))).toEqual({ 'sent for review': 600 });
    const edits = discord.requests.slice(from).filter(({ method }) => method === 'PATCH');
    expect(edits.filter(({ body }) => body.includes('▱')).length).toBeGreaterThan(1);
  });
});

describe('a list with the longest possible host names', () => {
  const longest = (n: number) =>
    [`n${n}`.padEnd(63, 'a'), 'b'.repeat(63), 'c'.repeat(63), 'd'.repeat(57), 'com'].join('.');
  const list = (length: number, port: number) =>
    Array.from({ length }, (_, n) => `${longest(n)}:${port} cs2`).join('\n');

  it('can have up to 1,000 lines', async ({ member, listing }) => {
    expect(longest(0).length).toBe(253);
    const preview = await sendFile(member, list(1000, 9));
    expect(textOf(preview)).toContain('1,000 game servers are ready');
    const report = await pressSubmit(member, preview);
    expect(textOf(report)).toContain('✅ 1,000 sent for review');
    expect(listing.submitted.map(({ server }) => server)).toEqual(
      Array.from({ length: 1000 }, (_, n) => longest(n)),
    );
    expect(csvOf(report, 'report.csv').length).toBe(1000);
  });

  it('is returned in two files if 900 lines need fixing', async ({ member }) => {
    const preview = await sendFile(member, list(900, 0));
    const files = messageOf(preview).current?.attachments.map(({ filename }) => filename) ?? [];
    expect(files).toEqual(['to-fix.csv', 'to-fix-2.csv']);
    expect(textOf(preview)).toContain('Nothing is ready to submit.');
    let ready = 0;
    for (const name of files) {
      const file = messageOf(preview).file(name)?.toString() ?? '';
      const again = await member.slash('addservers', {
        file: upload(name, file.replaceAll(':0"', ':27016"')),
      });
      ready += Number(/(\d+) game servers are ready/.exec(textOf(again))?.[1]);
    }
    expect(ready).toBe(900);
  });
});
