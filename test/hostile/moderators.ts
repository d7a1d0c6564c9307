import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import type { SeenMessage } from '../../sandbox/discord/world/messages.ts';
import { ROLES } from '../../sandbox/people.ts';
import { inStaff, turnApprovalOn } from '../support/approval.ts';
import { setKey, textOf } from '../support/bot.ts';
import { componentsOf, pickSetting, staffChannel } from '../support/people.ts';
import type { StoredApproval } from './history.ts';
import { KEY } from './members.ts';
import { labelsOf } from './people.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

const APPROVE = 'submissions:approve:';
/** Submits the unconfirmed servers of a decided submission again. */
const RESEND = 'submissions:resend:';
/** Takes back a decline. */
const UNDO = 'submissions:undo:';
/** Matches the servers that members submit. */
const HOSTS = /\bs\d+\.example\.com/g;
/** The maximum time for the bot to update the channel's messages to match its store. */
const PATIENCE_MS = 100_000;

/** Creates a guild in which submissions wait for two moderators, who sometimes press a button twice. */
export async function createModerators(world: World, number: number) {
  const { discord, listing, verdict, stored } = world;
  const place = discord.guilds[number];
  if (place === undefined) throw new Error(`there is no guild ${number}`);
  const admin = world.person('admin', number);
  const member = world.person('member', number);
  const guild = { ...place, discord, listing, admin, member, person: () => member };
  await setKey(admin, KEY);
  await turnApprovalOn(guild);
  await pickSetting(guild, 'Approval', '@Moderators');
  const channelId = staffChannel(guild);
  const { permissions } = ROLES.member;
  const withRole = discord.person({ guild: place, name: 'moderator', permissions, channelId });
  const role = discord.roles(place).find(({ name }) => name === 'Moderators');
  discord.guildEvents.giveRole(withRole, role?.id ?? '');
  const people = [inStaff(guild, 'admin'), withRole];
  /** The ids of drafts approved individually, and the hosts of servers approved together. */
  const approved = new Set<string>();
  /** Whether the moderators pause until one member has several waiting submissions. */
  let isResting = false;

  const waiting = () =>
    discord.messages({ channelId }).flatMap((message) => {
      const button = componentsOf(message).find(({ custom_id }) => custom_id?.startsWith(APPROVE));
      const [id = ''] = button?.custom_id?.slice(APPROVE.length).split(':') ?? [];
      return button === undefined ? [] : [{ message, id }];
    });

  /** @param undoes whether to take back the decline */
  async function decline(person: Person, message: SeenMessage, undoes: boolean): Promise<void> {
    const opened = await person.press(message, 'Decline');
    if (opened.kind === 'modal') await person.submit(opened, { reason: 'Not ours.' });
    if (undoes && labelsOf({ kind: 'message', message }).includes('Undo decline'))
      await person.press(message, 'Undo decline');
  }

  /** Opens the confirmation for approving all of a member's submissions. Returns `undefined` if there are none to approve. */
  async function askForAll(person: Person): Promise<Answer | undefined> {
    const queue = await person.slash('submissions');
    const label = labelsOf(queue).find((each) => each.startsWith('Approve all'));
    if (label === undefined || queue.kind !== 'message') return undefined;
    const question = await person.press(queue.message, label);
    return labelsOf(question).join() === 'Approve,Cancel' ? question : undefined;
  }

  /** Makes both moderators approve all of a member's submissions at the same time. */
  async function approveAll(): Promise<void> {
    const questions = await Promise.all(people.map(askForAll));
    await Promise.all(
      people.map(async (person, index) => {
        const question = questions[index];
        if (question?.kind !== 'message') return;
        for (const [host] of textOf(question).matchAll(HOSTS)) approved.add(host);
        verdict.count('approved together', 1);
        await person.press(question.message, 'Approve');
      }),
    );
  }

  return {
    /** Acts as one of two moderators, one decision after another, until `over` is aborted. */
    async live(which: 0 | 1, random: Random, over: AbortSignal): Promise<void> {
      const person = people[which] ?? withRole;
      while (!over.aborted) {
        await sleep(random.between(200, 1_500));
        if (isResting) continue;
        if (which === 0 && random.chance(0.1)) {
          isResting = true;
          // Only two members submit, so one of them has at least two of the three submissions.
          while (waiting().length < 3 && !over.aborted) await sleep(500);
          isResting = false;
          void approveAll();
          continue;
        }
        const [oldest] = waiting();
        if (oldest === undefined) continue;
        const { message, id } = oldest;
        verdict.count('decisions', 1);
        if (random.chance(0.2)) {
          void decline(person, message, random.chance(0.3));
          continue;
        }
        approved.add(id);
        void person.press(message, 'Approve');
        if (random.chance(0.3)) void person.press(message, 'Approve');
      }
    },

    /**
     * Checks that nothing was sent without an approval, that no member was notified twice, and that each message matches
     * the store.
     */
    async judge(): Promise<void> {
      for (const { id, host } of await stored.sent(place.id, admin.userId)) {
        if (!approved.has(id) && !approved.has(host))
          verdict.harm('sent without approval', `${host} of ${id}`);
      }
      const messagesTo = (userId: string) =>
        discord.messages({ channelId: discord.directChannel(userId) }).length;
      const userIds = discord.members(place).map(({ id }) => id);
      // The bot combines the decisions of a minute, so a short soak may be over before the first direct message.
      const end = Date.now() + PATIENCE_MS;
      while (userIds.every((id) => messagesTo(id) === 0) && Date.now() < end) await sleep(200);
      const decisions = await stored.decisionsNotified(place.id);
      for (const userId of userIds) {
        const count = messagesTo(userId);
        verdict.count('direct messages', count);
        const most = decisions.get(userId) ?? 0;
        if (count > most)
          verdict.harm('notified twice', `${userId} was notified ${count} times of ${most} decisions`);
      }
      const until = Date.now() + PATIENCE_MS;
      const messageOf = (row: StoredApproval) =>
        discord.messages({ channelId }).find(({ id }) => id === row.message);
      // Reads the store again each time, because a message only has an id there once it has been posted.
      const findWrong = async () =>
        (await stored.approvals(place.id)).filter((row) => !isShown(row, messageOf(row)));
      let wrong = await findWrong();
      while (wrong.length > 0 && Date.now() < until) {
        await sleep(200);
        wrong = await findWrong();
      }
      for (const row of wrong) {
        const shown = messageOf(row);
        verdict.harm('false reply', `${JSON.stringify(row)} reads ${shown ? textOf(shown) : 'nothing'}`);
      }
    },
  };
}

/** Whether a submission's message matches its state. The stand-in might have dropped a decided submission's message. */
function isShown({ state, accepted }: StoredApproval, message: SeenMessage | undefined): boolean {
  if (message === undefined) return state !== 'waiting';
  const canDecide = componentsOf(message).some(
    ({ custom_id }) => !custom_id?.startsWith(RESEND) && !custom_id?.startsWith(UNDO),
  );
  if (state === 'waiting') return canDecide;
  return !canDecide && (accepted === 0 || textOf(message).includes('added for review'));
}
