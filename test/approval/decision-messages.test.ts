import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createDecisionMessages } from '../../src/approval/decision-messages.ts';
import type { DirectMessage } from '../../src/discord/direct-messages.ts';
import { createBlockCheck } from '../../src/guilds/blocks.ts';
import { DEFAULTS } from '../../src/guilds/settings.ts';
import type { StoredInteraction } from '../../src/interactions/interaction-store.ts';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { createClaimJob } from '../../src/storage/claim-job.ts';
import type { Store } from '../../src/storage/store.ts';
import { Secret } from '../../src/text/secret.ts';
import { createWords } from '../../src/words/words.ts';
import { beginSubmission, partsOver, readyRow } from '../support/builders.ts';
import { newPlace } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

/** Returns an interaction the way *Submit* stores it. In these tests, a stored notice is just the member's id. */
const kept = (userId: string): StoredInteraction => ({
  interaction: {
    id: 'i',
    applicationId: '1',
    token: new Secret('token'),
    receivedAt: 0,
    guildId: '1',
    channelId: '3',
    user: { id: userId, name: 'mia' },
    isAdmin: false,
    isAdministrator: false,
    roleIds: [],
    locale: 'en-US',
    guildLocale: 'en-US',
    isInstalledInGuild: true,
    isInThread: false,
    request: { kind: 'unknown' },
  },
  message: 'i',
});

/**
 * Declines a member's submission and shows this in the reply, but doesn't send the direct message.
 * @param corrected the server to which a moderator corrects the submission before
 */
async function decideAbout(
  store: Store,
  userId: string,
  corrected?: string,
  id = `d${userId}`,
): Promise<void> {
  const parts = partsOver(store);
  const by = { guildId: '1', user: { id: userId, name: 'mia' } };
  const rows = [readyRow(1, 'a.example.com')];
  const draft = { id, source: 'options', rows } as const;
  const about = { interactionId: `i${id}`, draft, expiresAt: Date.now() + 60_000 };
  await store.inGuild('1', () => beginSubmission(parts, by, about));
  const decision = async () => ({
    guildId: '1',
    id: draft.id,
    submissionId: await parts.submissions.latestId(draft.id),
    by: { id: '9', name: 'mod' },
    interactionId: 'u',
  });
  if (corrected) await parts.approvals.correct({ ...(await decision()), row: readyRow(1, corrected) });
  await parts.approvals.decline({ ...(await decision()), reason: { key: undefined, words: '' } });
  await store
    .tables()
    .updateTable('submissions')
    .set({ notice: userId, notified_at: Date.now() })
    .where('draft_id', '=', about.draft.id)
    .where('state', '=', 'declined')
    .execute();
}

/** Creates the decision messages of one process. The process adds `PROCESS USER` to `sent` for each direct message. */
function processOver(
  store: Store,
  processId: string,
  sent: string[],
  opened: () => Promise<void> = async () => undefined,
  messages: DirectMessage[] = [],
  blocked: readonly string[] = [],
) {
  const { wordsFor, pages } = createWords();
  return createDecisionMessages({
    isOn: true,
    gatherMs: 0,
    declineUndoMs: 0,
    store,
    interactionStore: { open: (notice) => kept(notice ?? '') },
    ...partsOver(store),
    directMessages: {
      canSendTo: async () => true,
      opened,
      async send(userId: string, message: DirectMessage) {
        sent.push(`${processId} ${userId}`);
        messages.push(message);
      },
    },
    settings: { getOrUnreadable: async () => DEFAULTS },
    blocks: { check: async () => createBlockCheck(blocked.map((id) => ({ kind: 'member', id }))) },
    directMessageOptOuts: { has: async () => false },
    guildName: async () => undefined,
    wording: { wordsFor, pages, guildWords: async () => wordsFor('en-US'), mention: (name) => name },
    games: indexGames(KNOWN_GAMES),
    claimJob: createClaimJob({ store, processId }),
    logger: recorder(),
  });
}

it('only one process at a time sends direct messages', async () => {
  const store = await (await newPlace('sqlite')).open();
  const leases = ['one', 'other'].map((processId) => ({
    process_id: processId,
    until: Date.now() + 60_000,
    encryption_key_id: '',
  }));
  await store.tables().insertInto('leases').values(leases).execute();
  for (const userId of ['5', '6', '7']) await decideAbout(store, userId);
  const sent: string[] = [];
  const one = processOver(store, 'one', sent);
  const other = processOver(store, 'other', sent);
  await one.run();
  expect(sent).toEqual(['one 5']);
  await other.run();
  expect(sent).toEqual(['one 5']);
  await one.run();
  await store.tables().deleteFrom('leases').where('process_id', '=', 'one').execute();
  await other.run();
  await other.run();
  expect(sent).toEqual(['one 5', 'one 6', 'other 7']);
});

it.each([
  ['mentions a correction', 'b.example.com', true],
  ['shows a decision', undefined, false],
])('a direct message %s without naming the moderator', async (_what, corrected, isMentioned) => {
  const store = await (await newPlace('sqlite')).open();
  await decideAbout(store, '5', corrected);
  const messages: DirectMessage[] = [];
  await processOver(store, 'one', [], undefined, messages).run();
  await expect.poll(() => messages).toHaveLength(1);
  const text = JSON.stringify(messages);
  expect(text.includes('Corrected by a moderator')).toBe(isMentioned);
  expect(text).not.toContain('<@9>');
  // The member knows that they submitted it.
  expect(text).not.toContain('mia');
});

it.each([
  ['explains how to submit again', [], true],
  ["doesn't ask a blocked member to submit again", ['5'], false],
])('a direct message about a decline %s', async (_what, blocked, isAsked) => {
  const store = await (await newPlace('sqlite')).open();
  await decideAbout(store, '5');
  const messages: DirectMessage[] = [];
  await processOver(store, 'one', [], undefined, messages, blocked).run();
  await expect.poll(() => messages).toHaveLength(1);
  expect(messages[0]?.content?.includes('Edit and submit again')).toBe(isAsked);
});

it('a direct message about several servers shows how each was corrected', async () => {
  const store = await (await newPlace('sqlite')).open();
  await decideAbout(store, '5', 'b.example.com', 'one');
  await decideAbout(store, '5', 'c.example.com', 'other');
  const messages: DirectMessage[] = [];
  await processOver(store, 'one', [], undefined, messages).run();
  await expect.poll(() => messages).toHaveLength(1);
  const [embed, ...others] = messages[0]?.embeds ?? [];
  expect(others).toEqual([]);
  expect(embed?.color).toBeDefined();
  for (const host of ['b', 'c']) {
    expect(embed?.description).toContain(
      `\`${host}.example.com:27015\` · Corrected by a moderator · Address: \`a.example.com\` → \`${host}.example.com\``,
    );
  }
});

it('a direct message shows only the latest decision about each server', async () => {
  const store = await (await newPlace('sqlite')).open();
  await decideAbout(store, '5', 'b.example.com', 'corrected');
  for (const id of ['one', 'other']) await decideAbout(store, '5', undefined, id);
  const messages: DirectMessage[] = [];
  await processOver(store, 'one', [], undefined, messages).run();
  await expect.poll(() => messages).toHaveLength(1);
  expect(messages[0]?.content).toMatch(/^\*\*2 declined\*\*/);
  expect(JSON.stringify(messages[0]?.embeds).match(/\ba\.example\.com:27015/g)).toHaveLength(1);
  expect(messages[0]?.nonce).toMatch(/^told \S+ \S+$/);
});

it('a direct message is sent even if the clock was set back after the decision', async () => {
  const store = await (await newPlace('sqlite')).open();
  await decideAbout(store, '5');
  const ahead = Date.now() + 366 * 24 * 3_600_000;
  await store.tables().updateTable('submissions').set({ ended_at: ahead, notified_at: ahead }).execute();
  const sent: string[] = [];
  await processOver(store, 'one', sent).run();
  expect(sent).toEqual(['one 5']);
});

it.each([
  ['about an expired submission', { state: 'expired' }],
  ["about the member's own decision", { decided_by: '5' }],
  ['if it would be an hour late', { notified_at: Date.now() - 3_600_000 }],
] as const)('no direct message is sent %s', async (_what, changed) => {
  const store = await (await newPlace('sqlite')).open();
  await decideAbout(store, '5');
  await store.tables().updateTable('submissions').set(changed).execute();
  await decideAbout(store, '6');
  const sent: string[] = [];
  await processOver(store, 'one', sent).run();
  expect(sent).toEqual(['one 6']);
});

it('the bot holds a decision notice until the direct message channel is open', async () => {
  const store = await (await newPlace('sqlite')).open();
  await decideAbout(store, '5');
  const sent: string[] = [];
  const opening = Promise.withResolvers<void>();
  const running = processOver(store, 'one', sent, () => opening.promise).run();
  await setImmediate();
  const owed = store.tables().selectFrom('submissions').select('notice').where('notice', 'is not', null);
  expect(await owed.execute()).toEqual([{ notice: '5' }]);
  opening.resolve();
  await running;
  expect([sent, await owed.execute()]).toEqual([['one 5'], []]);
});
