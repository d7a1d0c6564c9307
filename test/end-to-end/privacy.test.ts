import { describe, expect } from 'vitest';
import { messageOf, ownBotTest, setKey, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, labelsOf } from '../support/people.ts';

const it = ownBotTest({ env: { MEMBER_LIMIT: '2/3600', GUILD_LIMIT: '3/3600', HISTORY_DAYS: '3' } })
  /** Who has submitted twice, under a name that is found nowhere else in the database. */
  .extend('canary', async ({ guild, discord }) => {
    const canary = discord.person({ guild, name: 'CANARY', permissions: 0n });
    await addServer(canary, 'a.example.com:1');
    await addServer(canary, 'b.example.com:2');
    return canary;
  });

describe('/privacy', () => {
  it('says what is stored, who gets it and for how long, to whoever asks', async ({ member }) => {
    const answer = await member.slash('privacy');
    for (const words of [
      '(only you can see this)',
      'API key of this Discord server: stored encrypted',
      'This is kept for 3 days. For rejected and unsent game servers, it is 3 days.',
      'is kept until a moderator approves or refuses it, for 7 days at most',
      'Until you are told whether it was approved or refused, your language and the channel are kept, too.',
      "If the bot couldn't reply, it's kept for 30 days",
      'everything is deleted within 30 days',
      'nothing about members',
      'operates this bot',
    ]) {
      expect(textOf(answer)).toContain(words);
    }
    const [embed] = messageOf(answer).current?.embeds ?? [];
    expect(embed?.description).toMatch(/^\*\*You\*\*: /);
    expect(labelsOf(answer)).toEqual(['Delete my name', 'Turn direct messages off']);
  });

  it('takes a member’s own name out, once asked; limits count on', async ({ bot, guild, admin, canary }) => {
    const onDisk = () => bot.store.content();
    const other = guild.person({ role: 'other' });
    await addServer(other, 'c.example.com:3');
    const ask = async () => canary.press(await canary.slash('privacy'), 'Delete my name');
    const deleteName = async () => canary.press(await ask(), 'Delete my name');
    await canary.press(await ask(), 'Cancel');
    expect(await onDisk()).toContain('CANARY');
    expect(textOf(await ask())).toContain('entries in the log channel stay');
    expect(textOf(await deleteName())).toMatch(
      /Your name was deleted from 2 submitted game servers\..*log channel stay/,
    );
    expect(textOf(await canary.slash('submissions'))).toContain('There is nothing here under your name.');
    expect(await onDisk()).not.toContain('CANARY');
    expect(await onDisk()).toContain('b.example.com');
    expect(textOf(await admin.slash('submissions'))).toContain(`@${other.userId}`);
    expect(textOf(await deleteName())).toContain('Your name is in none of the submissions here any more.');
    expect(textOf(await addServer(canary, 'd.example.com:4'))).toContain('Not sent: limit reached.');
  });

  it('lets an admin delete all the data of the guild, after asking', async ({ bot, admin, canary }) => {
    const onDisk = () => bot.store.content();
    const elsewhere = await bot.newGuild({ key: 'sandbox-key' });
    const question = await admin.press(
      await admin.slash('privacy'),
      'Delete all data of this Discord server',
    );
    expect(textOf(question)).toContain("This can't be undone.");
    expect(await onDisk()).toContain(canary.name);
    expect(textOf(await admin.press(question, 'Delete everything'))).toContain('Deleted.');
    expect(labelsOf(question)).toEqual([]);
    for (const gone of ['CANARY', canary.userId, 'a.example.com'])
      expect(await onDisk(), gone).not.toContain(gone);
    expect(textOf(await admin.slash('keystatus'))).toContain('has no API key');
    expect(textOf(await elsewhere.admin.slash('keystatus'))).toContain('Last worked');
    // What was submitted goes on counting for the operator's limit of the guild; a member's begins anew.
    await setKey(admin, 'sandbox-key');
    expect(textOf(await addServer(canary, 'a.example.com:1'))).toContain(ACCEPTED);
    expect(textOf(await addServer(canary, 'b.example.com:2'))).toContain('has reached its limit');
  });
});
