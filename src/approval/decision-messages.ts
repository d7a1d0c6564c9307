import type { APIEmbed } from 'discord.js';
import type { DirectMessage, DirectMessages } from '../discord/direct-messages.ts';
import type { Blocks } from '../guilds/blocks.ts';
import type { DirectMessageOptOuts } from '../guilds/direct-message-opt-outs.ts';
import type { GuildSettings } from '../guilds/settings.ts';
import { type Context, contextOf, type Wording } from '../interactions/command.ts';
import type { InteractionStore } from '../interactions/interaction-store.ts';
import { AFTER_START_MS, createJob } from '../lifecycle.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { Logger } from '../logger.ts';
import { HOUR_MS } from '../pacing/durations.ts';
import { addressOf } from '../server-lists/row.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { Store } from '../storage/store.ts';
import type { SubmissionsTable } from '../storage/tables.ts';
import { DECLINE_UNDO_MS, type Submission, unconfirmedIn } from '../submissions/submission.ts';
import type { Submissions } from '../submissions/submissions.ts';
import { escapeText } from '../words/escape.ts';
import { sentences } from '../words/sentences.ts';
import { fittingLines } from '../words/servers.ts';
import type { Translate } from '../words/words.ts';
import {
  type ApprovalView,
  againText,
  approvalView,
  correctedLines,
  declinedTogetherText,
} from './approval-view.ts';
import type { Approvals } from './approvals.ts';
import { noticeContext } from './decision-notices.ts';

/** Discord blocks bots that start many conversations quickly. */
const SEND_EVERY_MS = 5_000;
/**
 * How long decisions about a member's submissions are collected into one direct message, once declines can't be taken back.
 */
const GATHER_MS = 60_000;
/** How long a process keeps its claim on the job after its last direct message. */
const CLAIMED_MS = 60_000;
const MAX_MESSAGE_AGE_MS = HOUR_MS;
/** Discord docs: Message resource, Create Message. */
const MAX_EMBEDS = 10;
/** For a list of servers with the same decision. All embeds together can have 6,000. */
const MAX_LIST_LENGTH = 2_000;
/** Discord itself allows 100 characters. */
const MAX_GUILD_NAME_LENGTH = 50;

export interface DecisionMessagesTiming {
  readonly everyMs?: number;
  readonly gatherMs?: number;
}

export interface DecisionMessagesDeps extends DecisionMessagesTiming {
  readonly isOn: boolean;
  readonly store: Pick<Store, 'tables'>;
  readonly interactionStore: Pick<InteractionStore, 'open'>;
  readonly submissions: Pick<Submissions, 'find'>;
  readonly approvals: Pick<Approvals, 'waitingAgain'>;
  readonly directMessages: Omit<DirectMessages, 'isPaused'>;
  readonly settings: Pick<GuildSettings, 'getOrUnreadable'>;
  readonly blocks: Pick<Blocks, 'check'>;
  readonly directMessageOptOuts: Pick<DirectMessageOptOuts, 'has'>;
  readonly guildName: (guildId: string) => Promise<string | undefined>;
  readonly wording: Wording;
  readonly games: GameIndex;
  readonly claimJob: ClaimJob;
  readonly logger: Pick<Logger, 'warn'>;
  readonly declineUndoMs?: number | undefined;
}

export type DecisionMessages = ReturnType<typeof createDecisionMessages>;

/**
 * Creates the job that sends members direct messages about moderators' decisions. Only one process sends them at a time.
 * The process deletes the stored data right before sending, so a member never receives a message twice.
 */
export function createDecisionMessages(deps: DecisionMessagesDeps) {
  const { isOn, store, directMessages, games, everyMs = SEND_EVERY_MS } = deps;
  const dueMs = (deps.declineUndoMs ?? DECLINE_UNDO_MS) + (deps.gatherMs ?? GATHER_MS);
  const job = createJob({ firstMs: AFTER_START_MS, everyMs, run: sendNext });

  async function wantsDirectMessages(guildId: string, userId: string): Promise<boolean> {
    if (!isOn) return false;
    const found = await deps.settings.getOrUnreadable(guildId);
    if (found === 'unreadable' || found.directMessages === false) return false;
    return (
      (await directMessages.canSendTo(userId)) && !(await deps.directMessageOptOuts.has(guildId, userId))
    );
  }

  /** Selects decisions that were shown in the reply to the member but not yet sent in a direct message. */
  const owed = () =>
    store
      .tables()
      .selectFrom('submissions')
      .selectAll()
      .where('notice', 'is not', null)
      .where('notified_at', 'is not', null)
      .where('ended_at', '>', 0)
      .orderBy('ended_at');

  /** Ignores times that were stored while a clock was ahead. */
  const findSubmissionWithDueMessage = () =>
    owed()
      .where(({ or, eb }) =>
        or([eb('ended_at', '<=', Date.now() - dueMs), eb('ended_at', '>', Date.now() + dueMs)]),
      )
      .executeTakeFirst();

  /** Permanently claims a member's decided submissions in a guild, so that direct messages about them aren't repeated. */
  async function claim({ guild_id, user_id }: SubmissionsTable): Promise<readonly SubmissionsTable[]> {
    const found = await owed().execute();
    const taken: SubmissionsTable[] = [];
    // Filters the rows outside the query, because a condition on the guild would make the database read the guild's entire
    // history instead of the index of pending messages.
    for (const row of found.filter((each) => each.guild_id === guild_id && each.user_id === user_id)) {
      const { numUpdatedRows } = await store
        .tables()
        .updateTable('submissions')
        .set({ notice: null })
        .where('id', '=', row.id)
        .where('notice', '=', row.notice)
        .executeTakeFirst();
      // If no row was updated, the submission has been deleted in the meantime.
      if (numUpdatedRows === 1n) taken.push(row);
    }
    return taken;
  }

  async function viewOf(context: Context, submission: Submission): Promise<ApprovalView> {
    const { t } = context;
    const { content, embeds } = approvalView(t, submission, games, context);
    return {
      content: sentences(content, againText(t, await deps.approvals.waitingAgain(submission))),
      embeds,
    };
  }

  async function messageAbout(context: Context, decided: readonly Submission[]): Promise<DirectMessage> {
    const { t, guildId, channelId } = context;
    const views = await Promise.all(decided.map((submission) => viewOf(context, submission)));
    const [only] = views;
    const { content, embeds } =
      only && views.length === 1 ? only : combineViews(context, decided, views, games);
    const name = await deps.guildName(guildId);
    const link = `https://discord.com/channels/${guildId}/${channelId}`;
    const channel = name === undefined ? link : `**${escapeText(name, MAX_GUILD_NAME_LENGTH)}** · ${link}`;
    // The button is in /submissions, because pressing a button in a direct message wouldn't prove that the member is still
    // in the guild or has permission.
    const isDeclined = decided.some(({ state }) => state === 'declined');
    const isBlocked = isDeclined && (await deps.blocks.check(guildId)).hasMember(context.user.id);
    const again = isDeclined && !isBlocked ? [t('notice.again')] : [];
    const nonce = `told ${decided.map(({ id }) => id).join(' ')}`;
    return {
      nonce,
      content: [content, t('notice.where', { channel }), ...again, `-# ${t('notice.off')}`].join('\n'),
      embeds,
    };
  }

  /**
   * Sends a member one direct message about all decisions that still need a message.
   * @returns whether a direct message is being sent
   */
  async function sendAbout(rows: readonly SubmissionsTable[]): Promise<boolean> {
    const wanted = rows.filter(needsMessage);
    const latest = wanted.at(-1);
    if (latest === undefined) return false;
    const { guild_id: guildId, draft_id: id, notice } = latest;
    const kept = deps.interactionStore.open(notice, noticeContext({ guildId, id }), { guildId });
    if (kept === undefined || !(await wantsDirectMessages(guildId, kept.interaction.user.id))) return false;
    const found = await Promise.all(wanted.map((row) => deps.submissions.find(guildId, row.id)));
    const known = found.filter((submission) => submission !== undefined);
    const decided = latestDecisions(known).map(withoutModerators);
    if (decided.length === 0) return false;
    const context = contextOf(kept.interaction, deps.wording);
    // Not awaited, so that retries of this message don't delay the next one.
    void directMessages.send(context.user.id, await messageAbout(context, decided));
    return true;
  }

  async function sendOne(): Promise<void> {
    while (!job.stopping.aborted) {
      const due = await findSubmissionWithDueMessage();
      if (due === undefined || (await sendAbout(await claim(due)))) return;
    }
  }

  /** Never throws. */
  async function sendNext(): Promise<void> {
    try {
      await directMessages.opened();
      // Checks for messages before claiming the job, because a claim writes to the database.
      if ((await findSubmissionWithDueMessage()) !== undefined)
        await deps.claimJob('direct messages', CLAIMED_MS, sendOne);
    } catch (error) {
      deps.logger.warn({ err: error }, 'could not load the direct messages to send; will retry');
    }
  }

  return { name: 'direct messages', ...job, isOn, wantsDirectMessages };
}

/** Removes the moderators' ids, because Discord can't properly display mentions of moderators in a direct message. */
const withoutModerators = (submission: Submission): Submission => ({
  ...submission,
  decidedBy: '',
  correctedBy: submission.correctedBy === undefined ? undefined : '',
});

/**
 * Leaves out servers that were decided on again later, such as an unconfirmed server that was submitted again.
 * @param decided the oldest first
 */
function latestDecisions(decided: readonly Submission[]): readonly Submission[] {
  const latest = new Map(
    decided.flatMap(({ id, servers }) => servers.map(({ server }) => [addressOf(server), id])),
  );
  return decided
    .map((each) => ({
      ...each,
      servers: each.servers.filter(({ server }) => latest.get(addressOf(server)) === each.id),
    }))
    .filter(({ servers }) => servers.length > 0);
}

/** Leaves out expiry, which is only shown in the reply to the member and in /submissions. */
function needsMessage({ state, decided_by, user_id, notified_at }: SubmissionsTable): boolean {
  const isOwn = decided_by === user_id;
  const isTooOld = (notified_at ?? 0) <= Date.now() - MAX_MESSAGE_AGE_MS;
  return state !== 'expired' && !isOwn && !isTooOld;
}

/** Combines decisions into one message, with the number of servers of each kind. Equal decisions share an embed. */
function combineViews(
  { t }: Context,
  decided: readonly Submission[],
  views: readonly ApprovalView[],
  games: GameIndex,
): ApprovalView {
  const countOf = (isDeclined: boolean) =>
    decided
      .filter(({ state }) => (state === 'declined') === isDeclined)
      .reduce((sum, { servers }) => sum + servers.length, 0);
  const unconfirmed = decided.reduce((sum, submission) => sum + unconfirmedIn(submission).length, 0);
  const approved = countOf(false) - unconfirmed;
  const declined = countOf(true);
  const counts = [
    ...(approved > 0 ? [t('notice.approved', { count: approved })] : []),
    ...(unconfirmed > 0 ? [t('notice.unconfirmed', { count: unconfirmed })] : []),
    ...(declined > 0 ? [t('notice.declined', { count: declined })] : []),
  ];
  const equal = [...Map.groupBy(decided.keys(), (index) => views[index]?.content).values()];
  const embeds = equal.slice(0, MAX_EMBEDS).flatMap(([first = 0, ...others]) => {
    const view = views[first];
    if (view === undefined || others.length === 0) return view ? [asEmbed(view)] : [];
    const together = [first, ...others].flatMap((index) => decided[index] ?? []);
    return [togetherEmbed(t, view, together, games)];
  });
  return { content: `**${t.and(counts)}**`, embeds };
}

function togetherEmbed(
  t: Translate,
  { content, embeds: [{ color } = {}] }: ApprovalView,
  together: readonly Submission[],
  games: GameIndex,
): APIEmbed {
  const servers = together.flatMap((submission) =>
    submission.servers.map(({ server }) => ({ ...submission, only: server })),
  );
  const { length: count } = servers;
  const [first] = together;
  const heading =
    first?.state === 'declined'
      ? declinedTogetherText(t, count, first.declineReason)
      : `${content}\n${t('look.servers', { count })}`;
  const list = fittingLines(t, correctedLines(t, servers, games), count, MAX_LIST_LENGTH);
  return { ...(color !== undefined && { color }), description: `${heading}\n${list}` };
}

function asEmbed({ content, embeds }: ApprovalView): APIEmbed {
  const [embed = {}] = embeds;
  return { ...embed, description: [content, embed.description].filter(Boolean).join('\n') };
}
