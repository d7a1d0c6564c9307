import { setTimeout as sleep } from 'node:timers/promises';
import { type DiscordApi, isUncertain, type ReplyTarget } from '../discord/api.ts';
import { type ChannelMessage, type ChannelPosts, replacingBody } from '../discord/channel-posts.ts';
import type { GuildSettings, logChannels } from '../guilds/settings.ts';
import type { PressedPost } from '../interactions/command.ts';
import type { GuildWords } from '../interactions/guild-words.ts';
import { createJob, type Part } from '../lifecycle.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { Logger } from '../logger.ts';
import { createInOrder, oneAtATime } from '../pacing/in-order.ts';
import { isRecent } from '../pacing/recent.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { MessagePlace, Submission } from '../submissions/submission.ts';
import type { DraftRef } from '../submissions/waiting-submissions.ts';
import type { Translate } from '../words/words.ts';
import { channelView, deletedView, harmfulView } from './approval-view.ts';
import type { Approvals, DueMessage, WaitingSubmission } from './approvals.ts';

export interface ApprovalMessagesDeps {
  readonly approvals: Pick<
    Approvals,
    | 'find'
    | 'withMessage'
    | 'background'
    | 'due'
    | 'findDue'
    | 'beginEdit'
    | 'endEdit'
    | 'markWaitingAsOutdated'
  >;
  readonly api: Pick<DiscordApi, 'edit'>;
  readonly posts: Pick<ChannelPosts, 'put' | 'wasRejected'>;
  readonly settings: Pick<GuildSettings, 'getOrUnreadable' | 'change'>;
  readonly setTrouble: ReturnType<typeof logChannels>['setTrouble'];
  readonly guildWords: GuildWords;
  readonly games: GameIndex;
  readonly claimJob: ClaimJob;
  /** Called after each change to a draft that is, or was, waiting for approval. */
  readonly onChange: () => void;
  readonly logger: Pick<Logger, 'warn'>;
}

export type ApprovalMessages = ReturnType<typeof createApprovalMessages>;

/** How often one process updates messages that a crash or failed edit left out of date. */
const EVERY_MS = 60_000;
/**
 * Background updates in the same guild are this far apart. For messages older than an hour, Discord accepts about 3 edits
 * per channel in 6 seconds (undocumented; code 30046).
 */
const UPDATE_PAUSE_MS = 2_000;
const MENTION_AT_MOST_EVERY_MS = 3_600_000;
const PAUSE_AFTER_REJECTION_MS = 3_600_000;

type MessageState =
  | { readonly kind: 'posted'; readonly place: MessagePlace }
  /** It can't be posted, but /submissions still shows the submission. */
  | { readonly kind: 'nowhere' }
  /** The bot doesn't know whether Discord has the message. */
  | { readonly kind: 'failed' };

interface OpenChannel {
  readonly channelId: string;
  readonly wasPreviousPostRejected: boolean;
  /** The role to mention in a new message, if enough time has passed since the last mention. */
  readonly roleId: string | undefined;
}

interface MessageToShow {
  readonly guildId: string;
  readonly nonceName: string;
  readonly message: ChannelMessage;
  /**
   * The message without anything that Discord might treat as a harmful link; `undefined` if the message is bare already.
   */
  readonly bare: ChannelMessage | undefined;
}

/**
 * Creates the component that posts submissions in the log channel for moderators to decide on. After each change to a
 * draft, rebuilds the message from the draft's latest submission.
 */
export function createApprovalMessages(deps: ApprovalMessagesDeps) {
  const { approvals, api, posts, settings, setTrouble, guildWords, games, claimJob, onChange, logger } = deps;
  /** Orders the edits for each draft, so that a slow edit can't overwrite a later one. */
  const edits = createInOrder();
  /** Guilds where a post that mentions the role is in progress. Other posts don't mention the role in the meantime. */
  const mentioning = new Set<string>();
  const job = createJob({ firstMs: 0, everyMs: EVERY_MS, run: showInOneProcess });

  /**
   * @param pressed the message whose button was pressed, which may show an earlier state
   * @param due the outdated submission, which may not be the draft's latest
   */
  async function showOnce(
    key: DraftRef,
    pressed: PressedPost | undefined,
    due: DueMessage | undefined,
  ): Promise<void> {
    let place = pressed;
    let previousEditRevision: number | undefined;
    for (;;) {
      const own = place ? await approvals.withMessage(key, place) : due && (await approvals.findDue(due));
      const submission = own ?? (await approvals.find(key));
      const isDue = submission !== undefined && submission.revision > submission.shownRevision;
      if (!isDue && place === undefined) return;
      const begun = submission && (await approvals.beginEdit(submission));
      if (submission && !begun) continue;
      const put = await putMessage(key, submission, place ?? submission?.message);
      // The message stays out of date, because the failed update may still have overwritten a newer version.
      if (put.kind === 'failed' || !submission || !begun) return;
      const message = put.kind === 'posted' ? put.place : undefined;
      const isOnly = submission.shownRevision >= 0 || submission.shownRevision === previousEditRevision;
      if (await approvals.endEdit(begun, { message, isOnly })) return;
      // Repeats if the submission changed in the meantime, because this message may have overwritten a newer version.
      previousEditRevision = begun.shownRevision;
      place = message && { ...message, by: pressed?.by };
    }
  }

  /** Returns the guild's log channel; `undefined` if there isn't one, or if Discord recently rejected a post there. */
  async function openChannelOf(guildId: string): Promise<OpenChannel | undefined> {
    const found = await settings.getOrUnreadable(guildId);
    if (found === 'unreadable' || found.logChannelId === undefined) return undefined;
    const { logChannelId: channelId, logTrouble } = found;
    const wasPreviousPostRejected = logTrouble !== undefined;
    if (wasPreviousPostRejected && posts.wasRejected(channelId, PAUSE_AFTER_REJECTION_MS)) return undefined;
    const {
      mentionsApprovalRole,
      approvalMentionedAt: at = Number.NEGATIVE_INFINITY,
      approvalRoleId,
    } = found;
    const isMentioned = mentionsApprovalRole && !isRecent(at, MENTION_AT_MOST_EVERY_MS);
    return { channelId, wasPreviousPostRejected, roleId: isMentioned ? approvalRoleId : undefined };
  }

  /** @param submission `undefined` if it was deleted, usually together with the guild's data */
  async function draw(
    t: Translate,
    { guildId, id }: DraftRef,
    submission: Submission | undefined,
  ): Promise<MessageToShow> {
    if (submission === undefined) return { guildId, nonceName: id, message: deletedView(t), bare: undefined };
    const background = await approvals.background(submission);
    return {
      guildId,
      nonceName: submission.interactionId ?? id,
      message: channelView(t, submission, background, games),
      bare: harmfulView(t, submission, background, games),
    };
  }

  /** Posts or edits a message. If Discord rejects it because of a link, posts the version without links instead. */
  async function put(
    { message, bare }: MessageToShow,
    { channelId, messageId }: Partial<MessagePlace> & Pick<OpenChannel, 'channelId'>,
    nonce: string,
    roleId?: string,
  ) {
    const head = roleId === undefined ? '' : `<@&${roleId}>\n`;
    const putContent = ({ content, ...others }: ChannelMessage) => {
      const role = roleId === undefined ? {} : { pingableRoleId: roleId };
      return posts.put(channelId, { ...others, content: `${head}${content}`, nonce, ...role }, messageId);
    };
    const done = await putContent(message);
    return done.result !== 'harmful-link' || bare === undefined ? done : putContent(bare);
  }

  /** @param replaced the old message. The new message needs another nonce, or Discord would return the old message */
  async function post(
    drawn: MessageToShow,
    { channelId, wasPreviousPostRejected, roleId: mentioned }: OpenChannel,
    replaced?: MessagePlace,
  ): Promise<MessageState> {
    const { guildId, nonceName } = drawn;
    const nonce = replaced ? `${nonceName} ${replaced.messageId} ${channelId}` : nonceName;
    const { result, messageId } = await withMention(guildId, mentioned, (roleId) =>
      put(drawn, { channelId }, nonce, roleId),
    );
    if (messageId !== undefined) {
      if (wasPreviousPostRejected) await setTrouble(guildId, channelId, undefined);
      return { kind: 'posted', place: { channelId, messageId } };
    }
    if (result !== 'gone' && result !== 'no-access' && result !== 'no-permission') return { kind: 'failed' };
    await setTrouble(guildId, channelId, result);
    return { kind: 'nowhere' };
  }

  async function putMessage(
    key: DraftRef,
    submission: Submission | undefined,
    message: PressedPost | undefined,
  ): Promise<MessageState> {
    const t = await guildWords(key.guildId);
    const drawn = await draw(t, key, submission);
    // New messages are only posted for waiting submissions.
    const open = submission?.state === 'waiting' ? await openChannelOf(key.guildId) : undefined;
    if (message === undefined) return open ? post(drawn, open) : { kind: 'nowhere' };
    const { channelId, messageId, by } = message;
    if (open && by === undefined && open.channelId !== channelId) {
      const moved = await post(drawn, open, message);
      if (moved.kind === 'posted') {
        const { channelId: movedTo } = moved.place;
        await posts.put(channelId, { content: t('approval.moved', { channelId: movedTo }) }, messageId);
      }
      return moved;
    }
    const byPress = by && (await putByPress(by, drawn.message));
    if (byPress === 'failed') return { kind: 'failed' };
    const { result } =
      byPress === 'posted' ? { result: byPress } : await put(drawn, message, drawn.nonceName);
    if (result === 'posted') return { kind: 'posted', place: message };
    // Moderators may have been mentioned in the meantime.
    const again = result === 'message-gone' && open && (await openChannelOf(key.guildId));
    if (again) return post(drawn, again, message);
    return { kind: result === 'failed' || result === 'harmful-link' ? 'failed' : 'nowhere' };
  }

  /** Posts a message that mentions a role. The mention only counts once Discord has accepted the message. */
  async function withMention(
    guildId: string,
    roleId: string | undefined,
    post: (roleId?: string) => ReturnType<ChannelPosts['put']>,
  ): ReturnType<ChannelPosts['put']> {
    if (roleId === undefined || mentioning.has(guildId)) return post();
    mentioning.add(guildId);
    try {
      const posted = await post(roleId);
      if (posted.messageId !== undefined) {
        await settings.change(guildId, (now) => ({ ...now, approvalMentionedAt: Date.now() }));
      }
      return posted;
    } finally {
      mentioning.delete(guildId);
    }
  }

  /** Edits the message using the button press's interaction token, which isn't subject to the channel's rate limits. */
  async function putByPress(
    by: ReplyTarget,
    shown: ChannelMessage,
  ): Promise<'posted' | 'rejected' | 'failed'> {
    try {
      await api.edit(by, { body: replacingBody(shown), files: [] });
      return 'posted';
    } catch (error) {
      return isUncertain(error) ? 'failed' : 'rejected';
    }
  }

  /** Updates the message of a draft, the message whose button was pressed, or the outdated one. Never throws. */
  async function show({ guildId, id }: DraftRef, pressed?: PressedPost, due?: DueMessage): Promise<void> {
    try {
      await edits.run(id, () => showOnce({ guildId, id }, pressed, due));
    } catch (error) {
      logger.warn(
        { err: error, guildId },
        'could not build the message for a waiting submission; will retry',
      );
    } finally {
      onChange();
    }
  }

  const complain = (error: unknown) =>
    logger.warn({ err: error }, 'could not load outdated approval messages; will retry');

  /**
   * Updates all outdated messages, {@link UPDATE_PAUSE_MS} apart within each guild. Updates a message again if its submission
   * changes in the meantime, after all others, but doesn't retry a failed update.
   */
  async function showEach(): Promise<void> {
    const triedRevisions = new Map<string, DueMessage['revision']>();
    while (!job.stopping.aborted) {
      const found = (await approvals.due().catch(complain)) ?? [];
      const due = found
        .filter(({ submissionId, revision }) => triedRevisions.get(submissionId) !== revision)
        .toSorted(
          (one, other) =>
            Number(triedRevisions.has(one.submissionId)) - Number(triedRevisions.has(other.submissionId)),
        );
      const firstOfEach = new Map(due.toReversed().map((each) => [each.guildId, each])).values();
      for (const each of firstOfEach) {
        if (job.stopping.aborted) return;
        triedRevisions.set(each.submissionId, each.revision);
        await show(each, undefined, each);
      }
      if (due.length === 0) return;
      await sleep(UPDATE_PAUSE_MS, undefined, { signal: job.stopping }).catch(() => undefined);
    }
  }

  /** Never throws. */
  const showDue = oneAtATime(showEach);

  /**
   * Replaces the messages of submissions that were deleted together with the guild's data. Stops early with the bot: a press
   * on a remaining message replaces it, too. Never throws.
   */
  async function showDeleted(deleted: readonly WaitingSubmission[]): Promise<void> {
    for (const { guildId, id, message } of deleted) {
      if (job.stopping.aborted) return;
      if (message === undefined) continue;
      await show({ guildId, id }, message);
      await sleep(UPDATE_PAUSE_MS, undefined, { signal: job.stopping }).catch(() => undefined);
    }
  }

  /**
   * Moves the messages about a guild's waiting submissions to the log channel, after the channel changes or becomes usable
   * again. Doesn't wait for the posts.
   */
  async function moved(guildId: string): Promise<void> {
    await approvals.markWaitingAsOutdated(guildId);
    void showDue();
  }

  async function showInOneProcess(): Promise<void> {
    await claimJob('approval messages', EVERY_MS, showDue).catch(complain);
  }

  const part: Part = { name: 'approval messages', ...job };
  return { ...part, show, showDue, showDeleted, moved };
}
