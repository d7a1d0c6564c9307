import assert from 'node:assert/strict';
import { expect } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { memberOf } from '../../sandbox/people.ts';
import { type Bot, messageOf, type TestGuild } from './bot.ts';
import { chooseLogChannel, componentsOf, pressSetting, staffChannel } from './people.ts';

/** The labels of what a moderator can press where one server waits. */
export const DECISIONS: readonly string[] = ['Approve', 'Refuse', 'Correct …', 'Show all'];

/** Somebody in the log channel, where moderators decide; `admin` may manage the guild. */
export function inStaff(guild: TestGuild, who: 'admin' | 'member' | 'other', locale = 'en-US'): Person {
  const { id, name, channelId, discord } = guild;
  return discord.person({
    guild: { id, name, channelId },
    name: who,
    locale,
    channelId: staffChannel(guild),
    ...memberOf(guild, who),
  });
}

/** Has what members submit wait for a moderator, in #staff. */
export async function turnApprovalOn(guild: TestGuild): Promise<void> {
  await chooseLogChannel(guild);
  const answer = messageOf(await pressSetting(guild, 'Approval', 'Turn approval on'));
  assert.match(answer.current?.content ?? '', /Approval\*\*: on/);
}

/** The messages in the log channel that are about a submission: no other has come with buttons, which a decision takes away. */
export const approvalsIn = (guild: TestGuild): readonly SeenMessage[] =>
  guild.discord
    .messages({ channelId: staffChannel(guild) })
    .filter(({ first }) => (first.components ?? []).length > 0);

/** The one of them that was posted last and waits. */
export async function waitingIn(guild: TestGuild): Promise<SeenMessage> {
  const found = approvalsIn(guild).findLast((message) => componentsOf(message).length > 0);
  assert(found, 'nothing waits in the log channel');
  return found;
}

/** A moderator approves the one of them. */
export const approve = async (guild: TestGuild): Promise<Answer> =>
  inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');

/** That nobody of the guild is to be told of anything any more. */
export const allTold = ({ store }: Pick<Bot, 'store'>, { id }: Pick<TestGuild, 'id'>): Promise<void> =>
  expect
    .poll(() => store.rows('SELECT id FROM submissions WHERE guild_id = ? AND telling IS NOT NULL', id))
    .toEqual([]);

/** Ends the minute in which the decisions of a guild are gathered for a direct message. */
export async function endGathering(
  { store }: Pick<Bot, 'store'>,
  { id }: Pick<TestGuild, 'id'>,
): Promise<void> {
  const owed = () =>
    store.rows(
      'SELECT id FROM submissions WHERE guild_id = ? AND told_at IS NOT NULL AND telling IS NOT NULL',
      id,
    );
  await expect.poll(async () => (await owed()).length).toBeGreaterThan(0);
  await store.rows('UPDATE submissions SET ended_at = 1 WHERE guild_id = ? AND told_at IS NOT NULL', id);
}

/** What the bot has written to somebody directly. */
export const directTo = (
  { discord }: TestGuild,
  { userId }: Pick<Person, 'userId'>,
): readonly SeenMessage[] => discord.messages({ channelId: discord.directChannel(userId) });
