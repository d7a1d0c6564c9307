import { expect } from 'vitest';
import { allNotified, approve, directTo, turnApprovalOn } from '../support/approval.ts';
import { botTest, ownBotTest, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, labelsOf, openSetting } from '../support/people.ts';

const HOST = 'brake.example.com';
const PROMISE = "You'll get a direct message with the decision.";

ownBotTest()(
  'the bot no longer promises direct messages once Discord blocks them',
  async ({ bot, guild, member, discord }) => {
    const opened = () => discord.requests.filter(({ path }) => path.endsWith('/users/@me/channels')).length;
    await turnApprovalOn(guild);
    discord.stopDirectMessages('opened too fast');
    expect(textOf(await addServer(member, `${HOST}:1`))).toContain(PROMISE);
    await approve(guild);
    await expect.poll(() => bot.output()).toContain("Discord stopped this bot's direct messages");
    const other = guild.person({ role: 'other' });
    const reply = await addServer(other, `${HOST}:2`);
    expect(textOf(reply)).not.toContain(PROMISE);
    await approve(guild);
    await expect.poll(() => textOf(reply)).toContain(ACCEPTED);
    await allNotified(bot, guild);
    expect(opened()).toBe(1);
    expect(bot.output().match(/Discord stopped this bot's direct messages/g)).toHaveLength(1);
  },
);

botTest({ env: { DIRECT_MESSAGES: 'off' } })(
  "the bot doesn't send or promise direct messages if DIRECT_MESSAGES is off",
  async ({ bot, guild, member }) => {
    await turnApprovalOn(guild);
    const page = await openSetting(guild, 'Approval');
    expect(textOf(page)).toContain('Direct messages about decisions: off');
    expect(labelsOf(page).filter((label) => label.includes('direct messages'))).toEqual([]);
    expect(labelsOf(await member.slash('privacy'))).not.toContain('Turn direct messages off');
    const reply = await addServer(member, `${HOST}:1`);
    expect(textOf(reply)).not.toContain(PROMISE);
    await approve(guild);
    await expect.poll(() => textOf(reply)).toContain(ACCEPTED);
    await allNotified(bot, guild);
    expect(directTo(guild, member)).toEqual([]);
  },
);
