import { describe, expect } from 'vitest';
import { approve, turnApprovalOn } from '../support/approval.ts';
import { botTest, messageOf, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  componentsOf,
  labelsOf,
  openModal,
  paste,
  pressSubmit,
} from '../support/people.ts';

const it = botTest();

/** A console log with two players and one server. */
const LOG = `[18:02:11] Server listening, connect to play.example.com:28015
[18:03:40] Mia joined from 93.184.216.10:51234
[18:05:02] Noah joined from 93.184.216.11:50122`;
const PLAYERS = /93\.184\.216\.1[01]|Mia|Noah/;

const optionsOf = (answer: Parameters<typeof componentsOf>[0]) =>
  componentsOf(answer).flatMap(({ options }) => options ?? []);

describe('after pasting a console log, a member', () => {
  it('submits only the addresses that they select', async ({ member, listing, bot }) => {
    const preview = await paste(member, LOG, { game: 'rust' });
    expect(textOf(preview)).toContain('This looks like a log or a list of people');
    expect(labelsOf(preview)).toEqual(['Edit', 'Cancel']);
    const options = optionsOf(preview);
    expect(options.map(({ label }) => label)).toEqual([
      'play.example.com:28015',
      '93.184.216.10:51234',
      '93.184.216.11:50122',
    ]);
    await member.pick(preview, [options[0]?.value ?? '']);
    await expect.poll(() => labelsOf(preview)).toEqual(['Submit 1 of 3', 'Edit', 'Cancel']);
    expect(textOf(preview)).toContain('1 game server is ready');
    const { typed } = await openModal(member, preview, 'Edit');
    expect(typed.servers).toBe('1. play.example.com:28015 Rust');
    const report = textOf(await pressSubmit(member, preview));
    expect(report).not.toMatch(PLAYERS);
    expect(report).toContain("2 addresses weren't chosen: lines 2-3.");
    expect(listing.submitted).toEqual([{ server: 'play.example.com', port: 28015, game: 'rust' }]);
    for (const table of ['drafts', 'choices', 'submissions', 'servers', 'keyv', 'interactions']) {
      expect(JSON.stringify(await bot.store.rows(`SELECT * FROM ${table}`)), table).not.toMatch(PLAYERS);
    }
    expect(JSON.stringify(bot.log())).not.toMatch(PLAYERS);
  });

  it("can't submit an outdated selection", async ({ member, listing }) => {
    const preview = await paste(member, LOG, { game: 'rust' });
    await member.pick(preview, ['0']);
    await expect.poll(() => labelsOf(preview)).toContain('Submit 1 of 3');
    const old = componentsOf(preview).find(({ label }) => label === 'Submit 1 of 3')?.custom_id ?? '';
    await member.pick(preview, ['1']);
    await expect.poll(() => textOf(preview)).toContain('93.184.216.10:51234');
    await member.press(preview, old).catch(() => undefined);
    expect(listing.submitted).toEqual([]);
  });
});

describe('the preview of an ambiguous address', () => {
  it('has a submit button that names the game', async ({ member, listing }) => {
    const preview = await paste(member, 'My IP is 93.184.216.12:28015', { game: 'rust' });
    expect(labelsOf(preview)).toEqual(['Submit 93.184.216.12:28015 (Rust)', 'Edit', 'Cancel']);
    expect(optionsOf(preview)).toEqual([]);
    const report = await member.press(preview, 'Submit 93.184.216.12:28015 (Rust)');
    await expect.poll(() => textOf(report)).toContain(ACCEPTED);
    expect(listing.submitted).toEqual([{ server: '93.184.216.12', port: 28015, game: 'rust' }]);
  });

  it("doesn't have a submit button if the game is missing", async ({ member, listing }) => {
    const preview = await paste(member, 'My IP is 93.184.216.13:28015');
    await member.press(preview, 'Choose 93.184.216.13:28015');
    await expect.poll(() => textOf(preview)).toContain('1 line needs fixing');
    expect(labelsOf(preview)).not.toContain('Submit 1 of 1');
    expect(listing.submitted).toEqual([]);
    expect(messageOf(preview).current?.components?.length).toBeLessThanOrEqual(5);
  });
});

describe('an ambiguous address', () => {
  it('is sent only if the member selects it', async ({ member, listing }) => {
    const lines = ['one.example.com:1 cs2', 'two.example.com:2 cs2', 'and then { "x": three.example.com:3 }'];
    const preview = await paste(member, lines.join('\n'), { game: 'cs2' });
    expect(textOf(preview)).toContain('1 address might not be a game server');
    expect(labelsOf(preview)).toEqual(['Submit 2 game servers', 'Edit', 'Cancel']);
    const report = await pressSubmit(member, preview);
    expect(listing.submitted.map(({ port }) => port)).toEqual([1, 2]);
    expect(textOf(report)).toContain("1 address wasn't chosen: line 3.");
  });

  it('is reported as skipped both before and after approval', async ({ guild }) => {
    const { member } = guild;
    await turnApprovalOn(guild);
    const text = `one.example.com:1\n10.0.0.1:2 joined\nr21.example.com:27015 contra strike\n${LOG}`;
    const preview = await paste(member, text, { game: 'cs2' });
    await member.pick(preview, ['0']);
    await expect.poll(() => labelsOf(preview)).toContain('Submit 1 of 5 for approval');
    const skipped = /4 addresses weren't chosen: lines 3-6\.\n1 address isn't public/;
    await member.press(preview, 'Submit 1 of 5 for approval');
    await expect.poll(() => textOf(preview)).toMatch(skipped);
    await approve(guild);
    await expect.poll(() => textOf(preview)).toMatch(ACCEPTED);
    expect(textOf(preview)).toMatch(skipped);
  });

  it('is reported without a line number if entered in an address field', async ({ member }) => {
    const preview = await addServer(member, 'one.example.com:1 and then { "x": three.example.com:3 }');
    await member.pick(preview, ['0']);
    const report = await pressSubmit(member, preview);
    expect(textOf(report)).toContain("1 address wasn't chosen.");
  });
});
