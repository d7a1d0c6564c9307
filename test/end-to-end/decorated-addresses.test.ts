import { describe, expect } from 'vitest';
import { approve, inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { type Bot, botTest, type TestGuild, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  edit,
  labelsOf,
  openModal,
  paste,
  pressSubmit,
  sendFile,
} from '../support/people.ts';

const it = botTest();

const SMALL_CAPITALS = 'ᴘʟᴀʏ.ᴇxᴀᴍᴘʟᴇ.ᴄᴏᴍ:25570';

describe('an address in /addserver', () => {
  it('gets a suggested spelling if it contains look-alike letters', async ({ member, listing }) => {
    for (const typed of [SMALL_CAPITALS, `ɪᴘ: ${SMALL_CAPITALS}`, '🅿🅻🅰🆈.example.com:25570']) {
      const answer = await addServer(member, typed);
      expect(textOf(answer)).toContain('contains letters that look like others. Did you mean');
      expect(labelsOf(answer)).toEqual(['Submit play.example.com:25570 (Counter-Strike 2)', 'Edit']);
      expect(listing.submitted).toEqual([]);
    }
    const answer = await addServer(member, SMALL_CAPITALS);
    const sent = await member.press(answer, 'Submit play.example.com:25570 (Counter-Strike 2)');
    await expect.poll(() => textOf(sent)).toContain(ACCEPTED);
    expect(listing.submitted).toMatchObject([{ server: 'play.example.com', port: 25570 }]);
  });

  it("is rejected with a reason if it isn't a valid host name", async ({ member, listing }) => {
    for (const [typed, why] of [
      ['xn--e28h.example.com:1', '😀.example.com contains symbols. Enter only the address'],
      ['playเกม.example.com:1', "isn't in a single widely used script. Write each part"],
      ['ᴘlayпривет.example.com:1', 'contains letters that look like others. Write each part'],
    ] as const) {
      const answer = await addServer(member, typed);
      expect(textOf(answer).replaceAll('`', '')).toContain(why);
      expect(labelsOf(answer)).toEqual(['Edit']);
    }
    expect(listing.submitted).toEqual([]);
  });

  it('is sent without the surrounding symbols', async ({ member, listing }) => {
    for (const typed of [
      'IP👉play.example.com:25570',
      '┃IP→b.example.com:1',
      '✦c.example.com:2✦',
      'ㅤd.example.com:٢٧٠١٥',
    ])
      await expect.poll(async () => textOf(await addServer(member, typed))).toContain(ACCEPTED);
    const answer = await addServer(member, 'Creativeㅤe.example.com:1');
    expect(labelsOf(answer)).toContain('Submit e.example.com:1 (Counter-Strike 2)');
    expect(listing.submitted.map(({ server, port }) => `${server}:${port}`)).toEqual([
      'play.example.com:25570',
      'b.example.com:1',
      'c.example.com:2',
      'd.example.com:27015',
    ]);
  });
});

describe('a list of addresses with look-alike letters', () => {
  const LIST = `⭐Surf⭐a.example.com:1\nIP: ${SMALL_CAPITALS}\nIP: 🅼🅲.example.com:2`;

  it('has a button that accepts all suggested addresses', async ({ member, listing }) => {
    for (const preview of [
      await paste(member, LIST, { game: 'cs2' }),
      await sendFile(member, LIST, { game: 'cs2' }),
    ]) {
      expect(textOf(preview)).toContain('Did you mean play.example.com:25570?');
      expect(labelsOf(preview)).toContain('Submit 1 game server');
      expect(labelsOf(preview)).toContain('Use the suggested addresses (2)');
    }
    const preview = await paste(member, LIST, { game: 'cs2' });
    await pressSubmit(member, await member.press(preview, 'Use the suggested addresses (2)'));
    expect(listing.submitted.map(({ server, port }) => `${server}:${port}`)).toEqual([
      'a.example.com:1',
      'play.example.com:25570',
      'mc.example.com:2',
    ]);
  });

  it('gets the same suggestions when submitted from a message', async ({ guild, member }) => {
    const message = guild.discord.say(member, `CS2\n${LIST}`);
    const preview = await member.useOnMessage('Submit servers', message);
    expect(textOf(preview)).toContain('Did you mean play.example.com:25570?');
    expect(labelsOf(preview)).toContain('Use the suggested addresses (2)');
  });
});

/** Gives a stored server a host that older versions accepted. */
async function storeSymbol({ store }: Pick<Bot, 'store'>, { id }: Pick<TestGuild, 'id'>): Promise<void> {
  for (const [table, column] of Object.entries({ servers: 'host', drafts: 'lines' })) {
    await store.rows(
      `UPDATE ${table} SET ${column} = replace(${column}, 'stored.example', 'xn--e28h.example') WHERE guild_id = ?`,
      id,
    );
  }
}

describe('a stored host name', () => {
  it("isn't rechecked when a member or moderator edits the submission", async ({
    bot,
    guild,
    member,
    listing,
  }) => {
    await turnApprovalOn(guild);
    const reply = await addServer(member, 'stored.example.com:1');
    const message = await waitingIn(guild);
    await storeSymbol(bot, guild);
    const edited = await edit(member, reply, { query_port: '27016' });
    expect(textOf(edited)).toContain('query port 27016');
    await edit(inStaff(guild, 'admin'), message, { query_port: '27017' }, 'Correct…');
    await approve(guild);
    expect(listing.submitted).toMatchObject([{ server: 'xn--e28h.example.com', query_port: 27017 }]);
    // A new host is checked.
    const other = await addServer(member, 'other.example.com:1');
    expect(textOf(await edit(member, other, { server: '😀.example.com' }))).toContain('contains symbols');
  });

  it("isn't rechecked when a member edits the list", async ({ bot, guild, member }) => {
    await turnApprovalOn(guild);
    const list = 'stored.example.com:1 cs2\nother.example.com:1 cs2';
    const report = await pressSubmit(member, await paste(member, list));
    await waitingIn(guild);
    await storeSymbol(bot, guild);
    const { typed } = await openModal(member, report);
    const servers = typed.servers?.replaceAll('.com:1', '.com:2') ?? '';
    expect(textOf(await edit(member, report, { servers }))).toMatch(
      /Waiting for a moderator.*xn--e28h\.example\.com:2.*other\.example\.com:2/s,
    );
  });
});
