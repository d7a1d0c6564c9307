import assert from 'node:assert/strict';
import { describe, expect } from 'vitest';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { messageOf, ownBotTest, setKey, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  edit,
  idOf,
  labelsOf,
  logMessages,
  openSetting,
  paste,
  postComponents,
  postPanel,
  staffChannel,
} from '../support/people.ts';

const it = ownBotTest({ env: { MEMBER_LIMIT: '2/3600', GUILD_LIMIT: '3/3600', HISTORY_DAYS: '3' } })
  /** A user who has submitted twice. Their name doesn't appear anywhere else in the database. */
  .extend('canary', async ({ guild, discord }) => {
    const canary = discord.person({ guild, name: 'CANARY', permissions: 0n });
    await addServer(canary, 'a.example.com:1');
    await addServer(canary, 'b.example.com:2');
    return canary;
  });

describe('/privacy', () => {
  it('lists the stored data, recipients and retention periods', async ({ member }) => {
    const answer = await member.slash('privacy');
    for (const words of [
      '(only you can see this)',
      'API key for this Discord server: stored encrypted',
      'This is kept for 3 days. Rejected and unsent game servers are kept for 3 days.',
      "are kept until they're approved or declined, for at most 7 days",
      "Your language and the channel are also kept until you've been notified of the decision.",
      "or for 30 days if the bot couldn't reply",
      'everything is deleted within 30 days',
      'nothing about members',
      "The bot's operator can read everything",
    ]) {
      expect(textOf(answer)).toContain(words);
    }
    const [embed] = messageOf(answer).current?.embeds ?? [];
    expect(embed?.description).toMatch(/^\*\*About you\*\*: /);
    expect(labelsOf(answer)).toEqual(['Delete my name', 'Turn direct messages off']);
  });

  it("deletes a member's name after confirmation", async ({ bot, guild, admin, canary }) => {
    const onDisk = () => bot.store.content();
    const other = guild.person({ role: 'other' });
    await addServer(other, 'c.example.com:3');
    const ask = async () => canary.press(await canary.slash('privacy'), 'Delete my name');
    const deleteName = async () => canary.press(await ask(), 'Delete my name');
    const cancelled = await canary.press(await ask(), 'Cancel');
    expect(textOf(cancelled)).toMatch(/Cancelled\. Nothing was changed\..*What this bot stores/s);
    expect(labelsOf(cancelled)).toContain('Delete my name');
    expect(await onDisk()).toContain('CANARY');
    await paste(canary, 'unfinished.example.com cs2');
    expect(textOf(await canary.slash('submissions'))).toContain('Unfinished');
    expect(textOf(await ask())).toMatch(
      /log channel entries stay.*Your user ID is kept only as long .*Your unfinished lists .* will be deleted\./,
    );
    expect(textOf(await deleteName())).toMatch(
      /Your name was deleted from 2 submitted game servers\..*log channel entries stay.*unfinished lists .* deleted\./,
    );
    expect(textOf(await canary.slash('submissions'))).toContain("There's nothing here under your name.");
    expect(await onDisk()).not.toContain('unfinished.example.com');
    expect(await onDisk()).not.toContain('CANARY');
    expect(await onDisk()).toContain('b.example.com');
    expect(textOf(await admin.slash('submissions'))).toContain('@other');
    expect(textOf(await deleteName())).toContain('Your name no longer appears in any submission here.');
    expect(textOf(await addServer(canary, 'd.example.com:4'))).toContain('Not sent: limit reached.');
  });

  it('lets an admin delete all guild data after confirmation', async ({ bot, admin, canary }) => {
    const onDisk = () => bot.store.content();
    const elsewhere = await bot.newGuild({ key: 'sandbox-key' });
    const question = await admin.press(
      await admin.slash('privacy'),
      'Delete all data for this Discord server',
    );
    expect(textOf(question)).toContain("This can't be undone.");
    expect(await onDisk()).toContain(canary.name);
    expect(textOf(await admin.press(question, 'Delete everything'))).toContain('Deleted.');
    expect(labelsOf(question)).toEqual([]);
    for (const gone of ['CANARY', canary.userId, 'a.example.com'])
      expect(await onDisk(), gone).not.toContain(gone);
    expect(textOf(await admin.slash('keystatus'))).toContain('has no API key');
    expect(textOf(await elsewhere.admin.slash('keystatus'))).toContain('Last worked');
    // The operator's limit for the guild still counts these servers, but the member's own limit starts from zero.
    await setKey(admin, 'sandbox-key');
    expect(textOf(await addServer(canary, 'a.example.com:1'))).toContain(ACCEPTED);
    expect(textOf(await addServer(canary, 'b.example.com:2'))).toContain('has reached its limit');
  });

  it('announces a full deletion in the log channel and the approval messages', async ({
    bot,
    guild,
    admin,
    member,
  }) => {
    await turnApprovalOn(guild);
    await addServer(member, 'a.example.com:1');
    const waiting = await waitingIn(guild);
    const custom_id = idOf(waiting, 'submissions:approve');
    const asked = await admin.press(await admin.slash('privacy'), 'Delete all data for this Discord server');
    expect(textOf(asked)).toContain(
      "1 submission that is waiting for a moderator won't be sent, and the member who submitted it won't be notified.",
    );
    await admin.press(asked, 'Delete everything');
    await expect.poll(() => logMessages(guild).at(-1)).toContain('@admin deleted everything');
    await expect.poll(() => labelsOf(waiting)).toEqual([]);
    const gone = "no longer exists, because this Discord server's data was deleted";
    expect(textOf(waiting)).toContain(gone);
    // The bot may have stopped before it could replace the message.
    const old = { type: 2, style: 3, label: 'Old', custom_id };
    const left = await postComponents(bot, staffChannel(guild), [{ type: 1, components: [old] }]);
    assert(left);
    expect(textOf(await inStaff(guild, 'admin').press(left, 'Old'))).toContain(gone);
    expect(textOf(left)).toContain(gone);
  });

  it('asks for confirmation again if an API key or submission has been added', async ({
    guild,
    admin,
    member,
  }) => {
    const ask = async () =>
      admin.press(await admin.slash('privacy'), 'Delete all data for this Discord server');
    const old = await ask();
    const wasSetUp = await ask();
    await admin.press(await ask(), 'Delete everything');
    await setKey(admin, 'sandbox-key');
    const again = 'nothing has been deleted yet. Delete the API key';
    expect(textOf(await admin.press(wasSetUp, 'Delete everything'))).toContain(again);
    await turnApprovalOn(guild);
    const withoutWaiting = await ask();
    await addServer(member, 'a.example.com:1');
    for (const question of [old, withoutWaiting]) {
      expect(textOf(await admin.press(question, 'Delete everything'))).toContain(again);
      expect(textOf(question)).toContain('1 submission that is waiting');
    }
    expect(textOf(await admin.slash('keystatus'))).toContain('Last worked');
    expect(labelsOf(await waitingIn(guild))).toContain('Approve');
    expect(textOf(await admin.press(old, 'Delete everything'))).toContain('Deleted.');
    expect(textOf(await admin.slash('keystatus'))).toContain('has no API key');
  });

  it('asks for confirmation again if a panel, submission or block has changed', async ({
    guild,
    admin,
    member,
    discord,
  }) => {
    const newer = async (change: () => Promise<unknown>) => {
      const asked = await admin.press(
        await admin.slash('privacy'),
        'Delete all data for this Discord server',
      );
      await change();
      expect(textOf(await admin.press(asked, 'Delete everything'))).toContain('nothing has been deleted yet');
    };
    await setKey(admin, 'sandbox-key');
    await newer(() => postPanel(guild, 'One'));
    await newer(async () => edit(admin, await openSetting(guild, 'Panels'), { text: 'Two' }));
    await newer(() => addServer(member, 'a.example.com:1'));
    await newer(async () => {
      const list = await openSetting(guild, 'Blocked here');
      await edit(admin, list, { what: 'bad.example.com' }, 'Block an address or id');
    });
    await turnApprovalOn(guild);
    const withdrawn = await addServer(member, 'b.example.com:1');
    // The number of waiting submissions is the same as in the question.
    await newer(async () => {
      await member.press(withdrawn, 'Withdraw');
      await addServer(discord.person({ guild, name: 'other', permissions: 0n }), 'c.example.com:1');
    });
  });

  it('removes the buttons from all panels when an admin deletes everything', async ({ guild, admin }) => {
    const panels = [await postPanel(guild, 'One'), await postPanel(guild, 'Two')];
    const asked = await admin.press(await admin.slash('privacy'), 'Delete all data for this Discord server');
    await admin.press(asked, 'Delete everything');
    for (const panel of panels) {
      await expect.poll(() => labelsOf(panel)).toEqual([]);
      expect(textOf(panel)).toContain('This panel was removed');
    }
  });
});
