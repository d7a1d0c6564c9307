import { describe, expect } from 'vitest';
import { createWords } from '../../src/words/words.ts';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { botTest, messageOf, modalOf, type TestGuild, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, lines, openModal, paste, pressSubmit } from '../support/people.ts';

const it = botTest();

/** Three of the languages that moderators use the bot in. */
const LOCALES = ['en-US', 'de', 'ja'] as const;
const wordsOf = (locale: string) => createWords().wordsFor(locale);

/** Submits servers of the member, so that they wait: `q0.example.com:27015` and so on. */
async function letWait(guild: TestGuild, count: number): Promise<void> {
  await turnApprovalOn(guild);
  for (let n = 0; n < count; n += 1) await addServer(guild.member, `q${n}.example.com:27015`);
}

describe('the queue in /submissions', () => {
  it.for(LOCALES)('shows one line about each decision, above the next submission (%s)', async (locale, {
    guild,
    listing,
  }) => {
    await letWait(guild, 4);
    const t = wordsOf(locale);
    const moderator = inStaff(guild, 'admin', locale);
    const queue = await moderator.slash('submissions');
    const first = () => messageOf(queue).current?.content.split('\n')[0]?.replaceAll('\\', '');
    const about = (item: string, n: number) =>
      t('look.about', {
        item,
        why: `**Counter-Strike 2** \`q${n}.example.com:27015\` (<@${guild.member.userId}>)`,
      });
    const sent = (n: number) => `✅ ${about(t('approval.sent'), n)} · `;

    await moderator.press(queue, t('approval.approve'));
    expect(first()).toContain(sent(0));
    expect(first()).toContain(ACCEPTED);
    expect(textOf(queue)).toContain('q1.example.com');

    const body = { status: 'error', message: 'No such luck.' };
    await listing.behave({ kind: 'json', status: 200, body }, 1);
    await moderator.press(queue, t('approval.approve'));
    expect(first()).toMatch(/ · ❌ .*No such luck\.$/);
    expect(first()).toContain(sent(1));

    await moderator.submit(await moderator.press(queue, t('approval.decline')), {
      why: 'rules',
      reason: 'Ours.',
    });
    const reason = t('approval.reason', { reason: `${t('approval.reasons.rules')} Ours.` });
    expect(first()?.replaceAll(' ', '')).toBe(
      `❌ ${about(t('approval.declined'), 2)} · ${reason}`.replaceAll(' ', ''),
    );
    expect(textOf(queue)).toContain('q3.example.com');
  });

  it('shows a failure above the submission that it is about, without the previous decision', async ({
    guild,
    admin,
  }) => {
    await letWait(guild, 3);
    const queue = await admin.slash('submissions');
    const fail = async (server: string) => {
      const { modal, typed } = await openModal(admin, queue, 'Correct…');
      return textOf(await admin.submit(modal, { ...typed, game: 'cs2', server }));
    };
    await admin.press(queue, 'Approve');
    expect(textOf(queue)).toContain('Approved and sent');
    for (const server of ['10.0.0.1', 'q2.example.com:27015']) {
      expect(await fail(server)).toMatch(
        /^[^\n]*Not changed: (?!.*Approved and sent).*still waiting.*2 submissions are waiting.*q1\.example/s,
      );
    }
    await addServer(admin, 'q1.example.com:27015');
    await admin.press(queue, 'Approve');
    expect(textOf(queue)).toMatch(/already submitted(?!.*and sent).*still waiting.*q1\.example/s);
  });

  it.for(LOCALES)('opens the form with the input unchanged if a line does not exist (%s)', async (locale, {
    guild,
  }) => {
    await turnApprovalOn(guild);
    await pressSubmit(guild.member, await paste(guild.member, lines(3)));
    const t = wordsOf(locale);
    const moderator = inStaff(guild, 'admin', locale);
    const typed = { why: 'rules', reason: 'Not **ours**.\nNor yours.', lines: '2, 40' };
    const message = await waitingIn(guild);
    // The log channel has the guild's language.
    for (const [on, label] of [
      [await moderator.slash('submissions'), t('approval.decline')],
      [message, 'Decline'],
    ] as const) {
      const refused = await moderator.submit(modalOf(await moderator.press(on, label)), typed);
      expect(messageOf(refused).current?.content).toContain(t('approval.noLine', { search: '40' }));
      const { modal, typed: kept } = await openModal(moderator, refused, t('again.reopenForm'));
      expect(kept).toEqual(typed);
      if (on !== message) continue;
      const declined = textOf(await moderator.submit(modal, { ...kept, lines: '2' }));
      expect(declined).toContain('Not **ours**. Nor yours.');
    }
    await expect.poll(() => textOf(message)).not.toContain('s1.example.com');
  });
});
