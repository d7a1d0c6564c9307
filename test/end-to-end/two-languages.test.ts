import { expect } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { botTest, modalOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  chooseLogChannel,
  edit,
  labelsOf,
  logLines,
  openSetting,
  pickSetting,
  postPanel,
  pressSetting,
} from '../support/people.ts';
import { faultsOf, PSEUDO_LOCALE, textsOf, withPseudoLanguage } from '../words/pseudo-language.ts';

/** Strings that aren't translated. */
const NAMES = ['Counter-Strike 2', ACCEPTED, 'admin', 'member'];

/** Strings in the public messages that this test causes. */
const PUBLIC = [
  "This is now the bot's log channel",
  'tested the log channel',
  'moved the log channel',
  'turned this log channel off',
  'changed a setting',
  'submitted a game server for review',
  // The log message also contains the outcomes.
  "didn't get a reply in time. Here's the result:\n✅ ",
  "Approve? It won't be sent unless",
  'Approved',
  'Declined',
  'Submit a game server',
];

const isPseudo = (text: string): boolean => text.includes('⟦');

botTest({ languages: withPseudoLanguage }).for([
  { language: 'Same as Discord (English)', isChosen: false },
  { language: 'English', isChosen: true },
])(
  "public messages are in the guild's language, and private ones in the user's: $language",
  async ({ language, isChosen }, { bot, discord }) => {
    const guild = await bot.newGuild({ key: 'sandbox-key', locale: PSEUDO_LOCALE });
    const { admin, member } = guild;
    const everybodyRead: string[] = [];
    const faults: string[] = [];
    // Receives every version of each message.
    discord.watch((event) => {
      if (event.kind !== 'message') return;
      const { message, onlyFor } = event;
      const texts = textsOf(message);
      const isDirect = message.channelId === discord.directChannel(member.userId);
      // Ignores late log messages from the previous test's guild.
      if (!isDirect && !discord.channels(guild).some(({ id }) => id === message.channelId)) return;
      if (onlyFor === undefined && !isDirect) {
        everybodyRead.push(...texts);
        faults.push(...(isChosen ? texts.filter(isPseudo) : faultsOf(message, NAMES)));
      } else faults.push(...texts.filter(isPseudo));
    });
    const draftModal = (answer: Answer) => textsOf(modalOf(answer)).join();

    // A select menu doesn't accept the option that is already chosen.
    if (isChosen) await pickSetting(guild, 'Language for everyone', language);
    await chooseLogChannel(guild);
    // The log uses the guild's language from its first line, before any other setting changes.
    await addServer(member, 'play.example.com:9');
    await expect.poll(() => logLines(guild).join()).toContain('play.example.com:9');
    await pressSetting(guild, 'Announcements', 'Announce submissions');
    await pressSetting(guild, 'Log channel', 'Test the log channel');
    await addServer(member, 'play.example.com:1');
    // Discord rejects the reply, so the bot reports the outcome in the log channel.
    const body = { code: 10015, message: 'Unknown Webhook' };
    const fault = { kind: 'status', status: 404, body } as const;
    discord.faults.inject({ fault, method: 'PATCH', path: /webhooks/, times: Infinity });
    void addServer(member, 'play.example.com:2');
    await expect.poll(() => logLines(guild).join()).toContain("didn't get a reply");
    discord.faults.clear();

    await turnApprovalOn(guild);
    const moderator = inStaff(guild, 'admin');
    for (const port of [3, 4]) {
      await addServer(member, `play.example.com:${port}`);
      const message = await waitingIn(guild);
      const [approve = '', refuse = ''] = labelsOf(message);
      const answer = await moderator.press(message, port === 3 ? approve : refuse);
      if (port === 3) continue;
      expect(draftModal(answer)).toMatch(/^Decline[^⟦]*$/);
      await moderator.submit(answer, { reason: '' });
    }
    await pressSetting(guild, 'Approval', 'Turn approval off');
    await admin.press(await pickSetting(guild, 'Log channel', '#general'), 'Use it anyway');
    await pressSetting(guild, 'Log channel', 'Turn off the log channel');
    await pickSetting(guild, 'Announcements', '#staff');
    await turnApprovalOn(guild);
    const panel = await postPanel(guild);
    await edit(admin, await openSetting(guild, 'Panels'), { text: '' });
    await addServer(member, 'play.example.com:5');
    await moderator.press(await waitingIn(guild), labelsOf(await waitingIn(guild))[0] ?? '');
    const [label = ''] = labelsOf(panel);
    expect(draftModal(await member.press(panel, label))).toMatch(/^Submit a game server[^⟦]*$/);

    await expect.poll(() => PUBLIC.filter((said) => !everybodyRead.join().includes(said))).toEqual([]);
    expect(faults).toEqual([]);
  },
);
