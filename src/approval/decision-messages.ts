import type { APIEmbed } from 'discord.js';
import type { DirectMessage, DirectMessages } from '../discord/direct-messages.ts';
import type { DirectMessageOptOuts } from '../guilds/direct-message-opt-outs.ts';
import type { GuildSettings } from '../guilds/settings.ts';
import { type Context, contextOf, type Wording } from '../interactions/command.ts';
import type { InteractionStore } from '../interactions/interaction-store.ts';
import { AFTER_START_MS, createJob } from '../lifecycle.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { Logger } from '../logger.ts';
import { HOUR_MS } from '../numbers.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { Store } from '../storage/store.ts';
import type { SubmissionsTable } from '../storage/tables.ts';
import type { Submission, Submissions } from '../submissions/submissions.ts';
import { escapeText } from '../words/escape.ts';
import { sentences } from '../words/sentences.ts';
import { type ApprovalView, againText, approvalView } from './approval-view.ts';
import { noticeContext } from './decision-notices.ts';

/** How often a direct message is sent, in milliseconds: Discord stops a bot that opens many in a short time. */
const EVERY_MS = 5_000;
/** How long decisions are gathered for one direct message, in milliseconds. */
const GATHER_MS = 60_000;
/** A process sends them until it has sent none for so long, in milliseconds. */
const CLAIMED_MS = 60_000;
/** A direct message that could not be sent for so long is dropped, in milliseconds. */
const LONGEST_WAIT_MS = HOUR_MS;
/** Discord docs: Message resource, Create Message: a message has at most 10 embeds. */
const MOST_EMBEDS = 10;
/** UTF-16 units of the name of a guild, which has at most 100 characters. */
const LONGEST_GUILD_NAME = 50;

export interface DecisionMessagesTiming {
  readonly everyMs?: number;
  readonly gatherMs?: number;
}

export interface DecisionMessagesDeps extends DecisionMessagesTiming {
  /** Whether the operator wants direct messages. */
  readonly isOn: boolean;
  readonly store: Pick<Store, 'tables'>;
  readonly interactionStore: Pick<InteractionStore, 'open'>;
  readonly submissions: Pick<Submissions, 'find' | 'waitingAgain'>;
  readonly directMessages: Omit<DirectMessages, 'isPaused'>;
  readonly settings: Pick<GuildSettings, 'getOrUnreadable'>;
  readonly directMessageOptOuts: Pick<DirectMessageOptOuts, 'has'>;
  /** `undefined` where the name cannot be had. */
  readonly guildName: (guildId: string) => Promise<string | undefined>;
  readonly wording: Wording;
  readonly games: GameIndex;
  readonly claimJob: ClaimJob;
  readonly logger: Pick<Logger, 'warn'>;
}

export type DecisionMessages = ReturnType<typeof createDecisionMessages>;

/**
 * Direct messages to members about what moderators have decided, from one process for all. The row of a submission holds what it takes
 * to send one until right before it is sent, so that no member gets one twice.
 */
export function createDecisionMessages(deps: DecisionMessagesDeps) {
  const {
    store,
    interactionStore,
    submissions,
    directMessages,
    settings,
    directMessageOptOuts,
    guildName,
    wording,
    games,
  } = deps;
  const { isOn, claimJob, everyMs = EVERY_MS, gatherMs = GATHER_MS, logger } = deps;
  const job = createJob({ firstMs: AFTER_START_MS, everyMs, run: sendNext });

  /** Whether a member of a guild gets direct messages. */
  async function isWanted(guildId: string, userId: string): Promise<boolean> {
    if (!isOn) return false;
    const found = await settings.getOrUnreadable(guildId);
    if (found === 'unreadable' || found.directMessages === false) return false;
    return (await directMessages.canSendTo(userId)) && !(await directMessageOptOuts.has(guildId, userId));
  }

  /** The submissions whose members have the decision in their own reply, and get it as a direct message. */
  const owed = () =>
    store
      .tables()
      .selectFrom('submissions')
      .selectAll()
      .where('notice', 'is not', null)
      .where('notified_at', 'is not', null)
      .where('ended_at', '>', 0)
      .orderBy('ended_at');

  /** A submission whose member has waited for further decisions. */
  const findDue = () =>
    owed()
      .where('ended_at', '<=', Date.now() - gatherMs)
      .executeTakeFirst();

  /** Takes the submissions of a member of a guild, for good. */
  async function take({ guild_id, user_id }: SubmissionsTable): Promise<readonly SubmissionsTable[]> {
    const found = await owed().execute();
    const taken: SubmissionsTable[] = [];
    // In the query the guild would replace the index of what is owed, and read its whole history.
    for (const row of found.filter((each) => each.guild_id === guild_id && each.user_id === user_id)) {
      const { numUpdatedRows } = await store
        .tables()
        .updateTable('submissions')
        .set({ notice: null })
        .where('id', '=', row.id)
        .where('notice', '=', row.notice)
        .executeTakeFirst();
      // Otherwise it was deleted after it was read.
      if (numUpdatedRows === 1n) taken.push(row);
    }
    return taken;
  }

  /** What a direct message says about one decision. */
  async function viewOf({ t, user }: Context, submission: Submission): Promise<ApprovalView> {
    const { content, embeds } = approvalView(t, withoutModerators(submission), games, user.id);
    return { content: sentences(content, againText(t, await submissions.waitingAgain(submission))), embeds };
  }

  async function messageAbout(context: Context, decided: readonly Submission[]): Promise<DirectMessage> {
    const { t, guildId, channelId } = context;
    const views = await Promise.all(decided.map((submission) => viewOf(context, submission)));
    const [only] = views;
    const { content, embeds } = only && views.length === 1 ? only : together(context, decided, views);
    const name = await guildName(guildId);
    const link = `https://discord.com/channels/${guildId}/${channelId}`;
    const channel = name === undefined ? link : `**${escapeText(name, LONGEST_GUILD_NAME)}** · ${link}`;
    const nonce = `told ${decided.map(({ id }) => id).join(' ')}`;
    return {
      nonce,
      content: [content, t('notice.where', { channel }), `-# ${t('notice.off')}`].join('\n'),
      embeds,
    };
  }

  /** @returns whether a direct message is being sent; what is not wanted any more is dropped */
  async function sendAbout(rows: readonly SubmissionsTable[]): Promise<boolean> {
    const wanted = rows.filter(isToSend);
    const latest = wanted.at(-1);
    if (latest === undefined) return false;
    const { guild_id: guildId, draft_id: id, notice } = latest;
    const kept = interactionStore.open(notice, noticeContext({ guildId, id }), { guildId });
    if (kept === undefined || !(await isWanted(guildId, kept.interaction.user.id))) return false;
    const found = await Promise.all(wanted.map((row) => submissions.find(guildId, row.id)));
    const decided = found.filter((submission) => submission !== undefined);
    if (decided.length === 0) return false;
    const context = contextOf(kept.interaction, wording);
    // Retries of this message do not keep the next one waiting.
    void directMessages.send(context.user.id, await messageAbout(context, decided));
    return true;
  }

  async function sendOne(): Promise<void> {
    while (!job.stopping.aborted) {
      const due = await findDue();
      if (due === undefined || (await sendAbout(await take(due)))) return;
    }
  }

  /** Never throws. */
  async function sendNext(): Promise<void> {
    try {
      await directMessages.opened();
      // Claiming a job writes, so this process looks first.
      if ((await findDue()) !== undefined) await claimJob('direct messages', CLAIMED_MS, sendOne);
    } catch (error) {
      logger.warn({ err: error }, 'could not look for direct messages to send; will retry');
    }
  }

  return { name: 'direct messages', ...job, isOn, isWanted };
}

/** The submission as a direct message shows it, where Discord does not know who a moderator is. */
const withoutModerators = (submission: Submission): Submission => ({
  ...submission,
  decidedBy: '',
  correctedBy: submission.correctedBy === undefined ? undefined : '',
});

/** What expired is in the member's own reply and in /submissions. */
function isToSend({ state, decided_by, user_id, notified_at }: SubmissionsTable): boolean {
  const isOwn = decided_by === user_id;
  const isTooOld = (notified_at ?? 0) <= Date.now() - LONGEST_WAIT_MS;
  return state !== 'expired' && !isOwn && !isTooOld;
}

/** Several decisions in one message: how many there are of each kind, and an embed for each. */
function together(
  { t }: Context,
  decided: readonly Submission[],
  views: readonly ApprovalView[],
): ApprovalView {
  const declined = decided.filter(({ state }) => state === 'declined').length;
  const approved = decided.length - declined;
  const counts = [
    ...(approved > 0 ? [t('notice.approved', { count: approved })] : []),
    ...(declined > 0 ? [t('notice.declined', { count: declined })] : []),
  ];
  return { content: `**${t.and(counts)}**`, embeds: views.slice(0, MOST_EMBEDS).map(asEmbed) };
}

function asEmbed({ content, embeds }: ApprovalView): APIEmbed {
  const [embed = {}] = embeds;
  return { ...embed, description: [content, embed.description].filter(Boolean).join('\n') };
}
