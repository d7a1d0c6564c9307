import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { memberOf } from '../../sandbox/people.ts';
import { type Bot, messageOf, type Shown, type TestGuild, textOf } from './bot.ts';
import {
  addServer,
  chooseLogChannel,
  componentsOf,
  edit,
  idOf,
  openSetting,
  pressSetting,
  staffChannel,
} from './people.ts';

/** The labels of the buttons and menus on a message about one waiting server. */
export const DECISIONS: readonly string[] = ['Approve', 'Decline', 'Correct…'];

/** Returns a user in the log channel, where moderators decide. Only `admin` has Manage Server. */
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

/** Makes the guild's submissions wait for a moderator in #staff. */
export async function turnApprovalOn(guild: TestGuild): Promise<void> {
  await chooseLogChannel(guild);
  const answer = messageOf(await pressSetting(guild, 'Approval', 'Turn approval on'));
  assert.match(answer.current?.content ?? '', /Approval\*\*: on/);
}

/** Turns approval on and submits a server as a member. Returns the reply and the moderators' message. */
export async function oneWaits(guild: TestGuild, host = 'wait.example.com') {
  await turnApprovalOn(guild);
  const reply = await addServer(guild.member, `${host}:1`);
  return { reply, message: await waitingIn(guild) };
}

/** Turns on exactly these options of approval. @returns the setting's page */
export async function setApprovalOptions(guild: TestGuild, labels: readonly string[]): Promise<Answer> {
  const page = await openSetting(guild, 'Approval');
  return guild.admin.pick(page, labels, idOf(page, 'settings:change:1:approval:approval:options'));
}

/**
 * Returns all messages about submissions in the log channel. Only these messages are posted with buttons, although a
 * decision later removes the buttons.
 */
export const approvalsIn = (guild: TestGuild): readonly SeenMessage[] =>
  guild.discord
    .messages({ channelId: staffChannel(guild) })
    .filter(({ first }) => (first.components ?? []).length > 0);

/**
 * Waits for a submission that needs a decision, and returns the newest message about such a submission.
 * @param about text in the message; needed if the message of an earlier submission might still have buttons
 */
export async function waitingIn(guild: TestGuild, about = ''): Promise<SeenMessage> {
  for (;;) {
    const found = approvalsIn(guild).findLast(
      (message) => componentsOf(message).length > 0 && textOf(message).includes(about),
    );
    if (found) return found;
    await sleep(10);
  }
}

/** Approves the waiting submission as a moderator. */
export const approve = async (guild: TestGuild): Promise<Answer> =>
  inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');

/** Declines the submission on a message as a moderator. */
export const decline = (guild: TestGuild, on: Shown, reason: string): Promise<Answer> =>
  edit(inStaff(guild, 'admin'), on, { reason }, 'Decline');

/** Waits until the bot has started to notify members of all of the guild's decisions. It may still be sending messages. */
export const allNotified = ({ store }: Pick<Bot, 'store'>, { id }: Pick<TestGuild, 'id'>): Promise<void> =>
  expect
    .poll(() => store.rows('SELECT id FROM submissions WHERE guild_id = ? AND notice IS NOT NULL', id))
    .toEqual([]);

/** Skips the minute during which the bot collects a guild's decisions for a single direct message. */
export async function endGathering(
  { store }: Pick<Bot, 'store'>,
  { id }: Pick<TestGuild, 'id'>,
): Promise<void> {
  const owed = () =>
    store.rows(
      'SELECT id FROM submissions WHERE guild_id = ? AND notified_at IS NOT NULL AND notice IS NOT NULL',
      id,
    );
  await expect.poll(async () => (await owed()).length).toBeGreaterThan(0);
  await store.rows('UPDATE submissions SET ended_at = 1 WHERE guild_id = ? AND notified_at IS NOT NULL', id);
}

/** Returns the direct messages that the bot has sent to a user. */
export const directTo = (
  { discord }: TestGuild,
  { userId }: Pick<Person, 'userId'>,
): readonly SeenMessage[] => discord.messages({ channelId: discord.directChannel(userId) });
