import { expect, it } from 'vitest';
import { createDecisionNotices } from '../../src/approval/decision-notices.ts';
import type { Interaction } from '../../src/interactions/interaction.ts';
import { TOKEN_LIVES_MS } from '../../src/pacing/durations.ts';
import { Secret } from '../../src/text/secret.ts';
import { createWords } from '../../src/words/words.ts';
import { beginSubmission, partsOver, readyRow } from '../support/builders.ts';
import { newPlace } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const INTERACTION: Interaction = {
  id: 'i',
  applicationId: '1',
  token: new Secret('token'),
  receivedAt: 0,
  guildId: '1',
  channelId: '3',
  user: { id: '5', name: 'mia' },
  isAdmin: false,
  isAdministrator: false,
  roleIds: [],
  locale: 'en-US',
  guildLocale: 'en-US',
  isInstalledInGuild: true,
  isInThread: false,
  request: { kind: 'unknown' },
};

it.each([
  ['edits the reply to a recent submission', { ageMs: 1_000, state: 'answered', requests: ['read', 'edit'] }],
  ["doesn't edit the reply if the token has expired", { ageMs: 1_000, state: 'gone', requests: ['read'] }],
  [
    "doesn't contact Discord if the submission is over 15 minutes old",
    { ageMs: TOKEN_LIVES_MS, state: 'answered', requests: [] },
  ],
] as const)('after a decision, the bot %s', async (_title, { ageMs, state, requests }) => {
  const store = await (await newPlace('sqlite')).open();
  const parts = partsOver(store);
  const by = { guildId: '1', user: { id: '5', name: 'mia' } };
  const draft = { id: 'd', source: 'options', rows: [readyRow(1, 'a.example.com')] } as const;
  const expiresAt = Date.now() + 60_000;
  await store.inGuild('1', () => beginSubmission(parts, by, { interactionId: 'i', draft, expiresAt }));
  const submissionId = await parts.submissions.latestId('d');
  const decision = { guildId: '1', id: 'd', submissionId, by: { id: '9', name: 'mod' }, interactionId: 'u' };
  await parts.approvals.decline({ ...decision, reason: { key: undefined, words: '' } });
  await store.tables().updateTable('submissions').set({ notice: 'sealed' }).execute();

  const sent: string[] = [];
  const logger = recorder();
  const { wordsFor, pages } = createWords();
  const notices = createDecisionNotices({
    store,
    interactionStore: {
      find: async () => undefined,
      seal: () => '',
      open: () => ({ interaction: { ...INTERACTION, receivedAt: Date.now() - ageMs }, message: 'i' }),
    },
    submissions: parts.submissions,
    api: {
      async read() {
        sent.push('read');
        return state;
      },
      async edit() {
        sent.push('edit');
      },
      async followUp() {
        sent.push('follow-up');
      },
    },
    editOrder: { isLatest: async () => true },
    wording: { wordsFor, pages, guildWords: async () => wordsFor('en-US'), mention: (name) => name },
    replyOf: async (_context, { state: shown }) => ({ content: shown }),
    logger,
    declineUndoMs: 0,
  });
  await notices.notifyDue();
  await expect.poll(() => sent).toEqual(requests);
  expect(logger.lines).toEqual([]);
  // The submitting interaction isn't stored.
  expect(await notices.encrypt({ guildId: '1', id: 'd' }, 'i')).toBeNull();
});
