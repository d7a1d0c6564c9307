import { DiscordAPIError } from 'discord.js';
import { expect, it, vi } from 'vitest';
import { createApprovalMessages } from '../../src/approval/approval-messages.ts';
import type { DiscordApi } from '../../src/discord/api.ts';
import type { ChannelPosts } from '../../src/discord/channel-posts.ts';
import { createGuildSettings, logChannels } from '../../src/guilds/settings.ts';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { Secret } from '../../src/text/secret.ts';
import { createWords } from '../../src/words/words.ts';
import { beginSubmission, claimJob, partsOver, readyRow } from '../support/builders.ts';
import { kinds, newPlace } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

type Place = Awaited<ReturnType<typeof newPlace>>;

const key = { guildId: '1', id: 'a' };
const mia = { guildId: '1', user: { id: '2', name: 'mia' } };

async function open(
  place: Place,
  processId: string,
  put: ChannelPosts['put'],
  edit: DiscordApi['edit'] = () => expect.unreachable('nobody presses'),
  wasRejected: ChannelPosts['wasRejected'] = () => false,
) {
  const logger = recorder();
  const store = await place.open();
  const parts = partsOver(store, { processId });
  const { approvals } = parts;
  const settings = createGuildSettings({ store, logger });
  const messages = createApprovalMessages({
    ...logChannels(settings),
    guildWords: async () => createWords().wordsFor('en-US'),
    approvals,
    posts: { put, wasRejected },
    api: { edit },
    settings,
    games: indexGames(KNOWN_GAMES),
    claimJob,
    onChange: () => undefined,
    logger,
  });
  return { store, parts, approvals, settings, messages };
}

/** Submits as mia in a guild that requires approval. */
async function submitForApproval(
  { settings, store, parts }: Awaited<ReturnType<typeof open>>,
  id = key.id,
): Promise<void> {
  await settings.change('1', (now) => ({ ...now, approval: true, logChannelId: '5' }));
  const rows = [readyRow(1, `${id}.example.com`)];
  const draft = { id, source: 'options', rows } as const;
  await store.inGuild('1', () =>
    beginSubmission(parts, mia, { interactionId: `of ${id}`, draft, expiresAt: Date.now() + 60_000 }),
  );
}

it('an approval message shows a withdrawal that happens while it is being posted', async () => {
  const place = await newPlace('sqlite');
  let shown: string | undefined;
  const isPosting = Promise.withResolvers<void>();
  const arrives = Promise.withResolvers<void>();
  const one = await open(place, 'one', async (_channelId, { content }) => {
    isPosting.resolve();
    await arrives.promise;
    shown = content;
    return { result: 'posted', messageId: '6' };
  });
  const other = await open(place, 'other', () => expect.unreachable('no process knows a message yet'));
  await submitForApproval(one);
  const showing = one.messages.show(key);
  await isPosting.promise;
  await other.approvals.withdraw(mia, 'a', 'i2');
  await other.messages.show(key);
  arrives.resolve();
  await showing;
  expect(shown).toContain('Withdrawn');
});

it('the bot corrects an approval message that a crashed process has overwritten', async () => {
  const place = await newPlace('sqlite');
  let shown: string | undefined;
  const isEditing = Promise.withResolvers<void>();
  const dying = await open(place, 'dying', async (_channelId, _message, messageId) => {
    if (messageId !== undefined) {
      isEditing.resolve();
      await new Promise(() => undefined);
    }
    return { result: 'posted', messageId: '6' };
  });
  const other = await open(place, 'other', async (_channelId, { content }) => {
    shown = content;
    return { result: 'posted', messageId: '6' };
  });
  await submitForApproval(dying);
  await dying.messages.show(key);
  await dying.approvals.markWaitingAsOutdated('1');
  void dying.messages.show(key);
  await isEditing.promise;
  await other.approvals.withdraw(mia, 'a', 'i2');
  await other.messages.show(key);
  // Discord applies the first edit last.
  shown = 'waiting';
  await other.messages.showDue();
  expect(shown).toContain('Withdrawn');
  shown = undefined;
  await other.messages.showDue();
  expect(shown).toBeUndefined();
});

it('the bot updates an approval message only if the submission has changed', async () => {
  const shown: (string | undefined)[] = [];
  const one = await open(await newPlace('sqlite'), 'one', async (_channelId, { content }) => {
    shown.push(content);
    return { result: 'posted', messageId: '6' };
  });
  await submitForApproval(one);
  await one.messages.show(key);
  await one.messages.show(key);
  expect(shown).toHaveLength(1);
  await one.approvals.withdraw(mia, 'a', 'i2');
  await one.messages.showDue();
  await expect.poll(() => shown.at(-1)).toContain('Withdrawn');
});

it.each([
  { state: 'withdrawn', result: 'failed', isDue: true, posts: 1 },
  { state: 'withdrawn', result: 'harmful-link', isDue: true, posts: 1 },
  { state: 'withdrawn', result: 'message-gone', isDue: false, posts: 1 },
  { state: 'withdrawn', result: 'no-access', isDue: false, posts: 1 },
  { state: 'waiting', result: 'failed', isDue: true, posts: 1 },
  { state: 'waiting', result: 'message-gone', isDue: false, posts: 2 },
] as const)('the bot retries, reposts or abandons an approval message after a failed edit ($state, $result)', async ({
  state,
  result,
  isDue,
  posts,
}) => {
  let posted = 0;
  const one = await open(await newPlace('sqlite'), 'one', async (_channelId, _message, messageId) => {
    if (messageId !== undefined) return { result };
    posted += 1;
    return { result: 'posted', messageId: '6' };
  });
  await submitForApproval(one);
  await one.messages.show(key);
  if (state === 'withdrawn') await one.approvals.withdraw(mia, 'a', 'i2');
  else await one.approvals.markWaitingAsOutdated('1');
  await one.messages.show(key);
  expect({ isDue: (await one.approvals.due()).length > 0, posts: posted }).toEqual({ isDue, posts });
});

it('the bot updates an approval message again if the submission changes during the update', async () => {
  let shown: string | undefined;
  const one = await open(await newPlace('sqlite'), 'one', async (_channelId, { content }) => {
    shown = content;
    return { result: 'posted', messageId: '6' };
  });
  await submitForApproval(one);
  const updating = one.messages.showDue();
  await expect.poll(() => one.approvals.due()).toEqual([]);
  await one.approvals.withdraw(mia, 'a', 'i2');
  await updating;
  expect(shown).toContain('Withdrawn');
});

it('the bot updates an approval message if another process begins an update at the same time', async () => {
  const one = await open(await newPlace('sqlite'), 'one', async () => ({ result: 'posted', messageId: '6' }));
  await submitForApproval(one);
  vi.spyOn(one.approvals, 'beginEdit').mockResolvedValueOnce(undefined);
  await one.messages.show(key);
  expect(await one.approvals.due()).toEqual([]);
});

it('after a failed post, the bot repeats the next update of an approval message only once', async () => {
  let isFailing = true;
  const one = await open(await newPlace('sqlite'), 'one', async () => {
    return isFailing ? { result: 'failed' } : { result: 'posted', messageId: '6' };
  });
  await submitForApproval(one);
  await one.messages.show(key);
  isFailing = false;
  for (let n = 0; n < 2; n += 1) await one.messages.showDue();
  expect(await one.approvals.due()).toEqual([]);
});

it('the bot updates every outdated approval message once before it updates any of them twice', async () => {
  const shown: (string | undefined)[] = [];
  const one = await open(await newPlace('sqlite'), 'one', async (_channelId, { content }) => {
    shown.push(/\w+(?=\.example)/.exec(content ?? '')?.[0]);
    return { result: 'posted', messageId: '6' };
  });
  for (const id of ['a', 'b']) await submitForApproval(one, id);
  const showing = one.messages.showDue();
  await expect.poll(() => shown).toHaveLength(1);
  await one.approvals.markWaitingAsOutdated('1');
  await showing;
  expect(shown.slice(0, 2).toSorted()).toEqual(['a', 'b']);
  expect(shown).toHaveLength(3);
});

it.each(
  kinds(),
)('the bot retries failed edits of both messages about a resubmitted submission (in %s)', async (kind) => {
  const edited: string[] = [];
  let posted = 5;
  const one = await open(await newPlace(kind), 'one', async (_channelId, _message, messageId) => {
    if (messageId === undefined) {
      posted += 1;
      return { result: 'posted', messageId: `${posted}` };
    }
    edited.push(messageId);
    return { result: isFailing ? 'failed' : 'posted', messageId };
  });
  let isFailing = false;
  await submitForApproval(one);
  await one.messages.show(key);
  const submissionId = (await one.approvals.find(key))?.id;
  const reason = { key: undefined, words: 'No.' };
  await one.approvals.decline({
    ...key,
    submissionId,
    by: { id: '9', name: 'mod' },
    interactionId: 'd',
    reason,
  });
  await one.messages.show(key);
  await submitForApproval(one);
  await one.messages.show(key);
  expect({ posted, edited }).toEqual({ posted: 7, edited: ['6'] });

  isFailing = true;
  await one.messages.show(key, { channelId: '5', messageId: '6' });
  // The two revisions differ.
  for (let n = 0; n < 2; n += 1) await one.approvals.markWaitingAsOutdated('1');
  edited.length = 0;
  await one.messages.showDue();
  expect(edited.toSorted()).toEqual(['6', '7']);

  isFailing = false;
  // An edit after a failed one is repeated, in case Discord applies the failed one last.
  for (let n = 0; n < 2; n += 1) await one.messages.showDue();
  expect(await one.approvals.due()).toEqual([]);
});

it('the bot retries posting to a log channel an hour after Discord rejected a message', async () => {
  let isRefusing = true;
  let sinceMs = 0;
  let tries = 0;
  const put: ChannelPosts['put'] = async () => {
    tries += 1;
    return isRefusing ? { result: 'no-access' } : { result: 'posted', messageId: '6' };
  };
  const wasRejected: ChannelPosts['wasRejected'] = (_id, ms) => tries > 0 && sinceMs < ms;
  const one = await open(await newPlace('sqlite'), 'one', put, undefined, wasRejected);
  await submitForApproval(one);
  await one.messages.show(key);
  expect(await one.approvals.due()).toEqual([]);
  isRefusing = false;
  const showAgain = async () => {
    await one.approvals.markWaitingAsOutdated('1');
    await one.messages.show(key);
    return (await one.settings.getOrThrow('1')).logTrouble;
  };
  sinceMs = 59 * 60_000;
  expect(await showAgain()).toBe('no-access');
  expect(tries).toBe(1);
  sinceMs = 60 * 60_000;
  expect(await showAgain()).toBeUndefined();
});

const by = { id: '1', applicationId: '2', token: new Secret('token'), receivedAt: 0 };
const REFUSED = new DiscordAPIError({ code: 50_027, message: 'Over' }, 50_027, 401, 'PATCH', '', {});

it.each([
  ['through the interaction', undefined, ['press', 'retry']],
  ['in the channel if Discord rejects the token', REFUSED, ['press', 'channel', 'retry']],
  [
    'again in the channel if the first attempt times out',
    new DOMException('late', 'TimeoutError'),
    ['press', 'retry', 'channel'],
  ],
])('after a button press, an approval message is updated %s', async (_how, failure, expected) => {
  const done: string[] = [];
  const put: ChannelPosts['put'] = async (_channelId, _message, messageId) => {
    if (messageId !== undefined) done.push('channel');
    return { result: 'posted', messageId: '6' };
  };
  const one = await open(await newPlace('sqlite'), 'one', put, async () => {
    done.push('press');
    if (failure) throw failure;
  });
  await submitForApproval(one);
  await one.messages.show(key);
  await one.approvals.withdraw(mia, 'a', 'i2');
  await one.messages.show(key, { channelId: '5', messageId: '6', by });
  done.push('retry');
  await one.messages.showDue();
  expect(done).toEqual(expected);
});

it("approval messages mention the moderators' role at most once an hour", async () => {
  const mentioned: (string | undefined)[] = [];
  const answers: Awaited<ReturnType<ChannelPosts['put']>>[] = [{ result: 'failed' }];
  const arrives = Promise.withResolvers<void>();
  const one = await open(await newPlace('sqlite'), 'one', async (_channelId, { pingableRoleId }) => {
    mentioned.push(pingableRoleId);
    const answer = answers.pop();
    if (answer) return answer;
    await arrives.promise;
    return { result: 'posted', messageId: `6${mentioned.length}` };
  });
  await submitForApproval(one);
  await one.settings.change('1', (now) => ({ ...now, approvalRoleId: '7', mentionsApprovalRole: true }));
  await one.messages.show(key);
  expect(mentioned).toEqual(['7']);
  const again = one.messages.show(key);
  await expect.poll(() => mentioned).toEqual(['7', '7']);
  await submitForApproval(one, 'b');
  const beside = one.messages.show({ ...key, id: 'b' });
  await expect.poll(() => mentioned).toEqual(['7', '7', undefined]);
  arrives.resolve();
  await Promise.all([again, beside]);
  await submitForApproval(one, 'c');
  await one.messages.show({ ...key, id: 'c' });
  expect(mentioned).toEqual(['7', '7', undefined, undefined]);
});

it('an approval message is up to date after being moved to a new log channel', async () => {
  const one = await open(await newPlace('sqlite'), 'one', async (channelId) => {
    return { result: 'posted', messageId: `in ${channelId}` };
  });
  await submitForApproval(one);
  await one.messages.show(key);
  await one.settings.change('1', (now) => ({ ...now, logChannelId: '7' }));
  await one.approvals.markWaitingAsOutdated('1');
  await one.messages.show(key);
  expect(await one.approvals.find(key)).toMatchObject({ message: { channelId: '7', messageId: 'in 7' } });
  expect(await one.approvals.due()).toEqual([]);
});

it("the bot doesn't update a deleted submission's message while it is stopping", async () => {
  const updated: (string | undefined)[] = [];
  const one = await open(await newPlace('sqlite'), 'one', async (_channelId, _message, messageId) => {
    updated.push(messageId);
    return { result: 'posted', messageId: '6' };
  });
  const message = { channelId: '5', messageId: '6' };
  await one.messages.stop?.();
  await one.messages.showDeleted([{ ...key, submissionId: '', userId: '2', userName: 'mia', message }]);
  expect(updated).toEqual([]);
});
