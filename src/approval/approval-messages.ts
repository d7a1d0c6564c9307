import { setTimeout as sleep } from 'node:timers/promises';
import { type DiscordApi, isUncertain, type ReplyTarget } from '../discord/api.ts';
import { type ChannelMessage, type ChannelPosts, replacingBody } from '../discord/channel-posts.ts';
import type { GuildSettings, logChannels, Settings } from '../guilds/settings.ts';
import { createInOrder, oneAtATime } from '../in-order.ts';
import type { PressedPost } from '../interactions/command.ts';
import { rows } from '../interactions/controls.ts';
import type { GuildWords } from '../interactions/guild-words.ts';
import { createJob, type Part } from '../lifecycle.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { Logger } from '../logger.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { MessagePlace, Submission } from '../submissions/submissions.ts';
import type { ApprovalKey } from '../submissions/waiting-submissions.ts';
import type { Translate } from '../words/words.ts';
import { channelView, decisionButtons, deletedView, harmfulView } from './approval-view.ts';
import type { Approvals } from './approvals.ts';

export interface ApprovalMessagesDeps {
  readonly approvals: Pick<Approvals, 'find' | 'before' | 'due' | 'markShown' | 'makeDue' | 'moved'>;
  readonly api: Pick<DiscordApi, 'edit'>;
  readonly posts: Pick<ChannelPosts, 'put' | 'hasRefused'>;
  readonly settings: Pick<GuildSettings, 'getOrUnreadable' | 'change'>;
  readonly setTrouble: ReturnType<typeof logChannels>['setTrouble'];
  readonly guildWords: GuildWords;
  readonly games: GameIndex;
  readonly claimJob: ClaimJob;
  /** Called after each change of a draft that waits, or did. */
  readonly onChange: () => void;
  readonly logger: Pick<Logger, 'warn'>;
}

export type ApprovalMessages = ReturnType<typeof createApprovalMessages>;

/** How often one process shows what is due, in milliseconds: what a dead process has not shown, and what has failed. */
const EVERY_MS = 60_000;
/**
 * Between two messages of a guild that are shown in the background, in milliseconds: Discord takes some 3 edits in 6 seconds of
 * messages of a channel that are older than an hour (unofficial; code 30046).
 */
const PACE_MS = 2_000;
/** How seldom a guild's moderators are mentioned, in milliseconds. */
const MENTIONED_EVERY_MS = 3_600_000;
/** For how long nothing new is posted to a log channel that refuses, in milliseconds. */
const CLOSED_FOR_MS = 3_600_000;

/**
 * Where the message of a submission is now. `nowhere`: there can be none, and /submissions shows the submission anyway. `failed`: Discord may have
 * it or not.
 */
type Put = MessagePlace | 'nowhere' | 'failed';

interface OpenChannel {
  readonly channelId: string;
  /** Whether its last post was refused. */
  readonly hasTrouble: boolean;
}

/** The message of a submission, as it is to be shown. */
interface Drawn {
  readonly guildId: string;
  /** Names it, for its nonce. */
  readonly name: string;
  readonly message: ChannelMessage;
  /** The same without what Discord may take for a harmful link, if there can be one. */
  readonly bare: ChannelMessage | undefined;
}

/**
 * The messages in the log channel on which moderators decide. Each is made from the latest submission of its draft alone, after
 * each change of it, so that it does not matter who made the change, in which process and when.
 */
export function createApprovalMessages(deps: ApprovalMessagesDeps) {
  const { approvals, api, posts, settings, setTrouble, guildWords, games, claimJob, onChange, logger } = deps;
  /** By draft. An edit that is slow would otherwise overwrite the next one. */
  const edits = createInOrder();
  /** The guilds of which a message is being posted that mentions the role. Another one at the same time does not. */
  const mentioning = new Set<string>();
  const job = createJob({ firstMs: 0, everyMs: EVERY_MS, run: showInOneProcess });

  /** @param pressed the message of which a button was pressed: whatever it shows by now */
  async function showOnce(key: ApprovalKey, pressed: PressedPost | undefined): Promise<void> {
    let place = pressed;
    for (;;) {
      const submission = await approvals.find(key);
      const isDue = submission !== undefined && submission.revision > submission.shownRevision;
      if (!isDue && place === undefined) return;
      const put = await putMessage(key, submission, place ?? submission?.message);
      // It may have arrived all the same, after what somebody else has shown: it is shown again later.
      if (put === 'failed') return submission && approvals.makeDue(submission);
      // Somebody may have changed it meanwhile, and what they have shown may have been overwritten.
      const shownAt = put === 'nowhere' ? undefined : put;
      if (submission === undefined || (await approvals.markShown(submission, shownAt))) return;
      place = shownAt && { ...shownAt, by: pressed?.by };
    }
  }

  /** The guild's log channel; `undefined` if there is none, or it refused a post lately. */
  async function openChannelOf(guildId: string): Promise<OpenChannel | undefined> {
    const found = await settings.getOrUnreadable(guildId);
    if (found === 'unreadable' || found.logChannelId === undefined) return undefined;
    const { logChannelId: channelId, logTrouble } = found;
    const hasTrouble = logTrouble !== undefined;
    return hasTrouble && posts.hasRefused(channelId, CLOSED_FOR_MS) ? undefined : { channelId, hasTrouble };
  }

  /** @param submission `undefined`: it was deleted, with all of the guild */
  async function draw(
    t: Translate,
    { guildId, id }: ApprovalKey,
    submission: Submission | undefined,
  ): Promise<Drawn> {
    if (submission === undefined) return { guildId, name: id, message: deletedView(t), bare: undefined };
    const before = await approvals.before(submission);
    const components = rows(decisionButtons(t, submission));
    return {
      guildId,
      name: submission.interactionId ?? id,
      message: { ...channelView(t, submission, before, games), components },
      bare: { ...harmfulView(t, submission, before, games), components },
    };
  }

  /** Posts or changes a message: without its links, if Discord refuses these. */
  async function put(
    { message, bare }: Drawn,
    { channelId, messageId }: Partial<MessagePlace> & Pick<OpenChannel, 'channelId'>,
    nonce: string,
    roleId?: string,
  ) {
    const head = roleId === undefined ? '' : `<@&${roleId}>\n`;
    const say = ({ content, ...others }: ChannelMessage) => {
      const role = roleId === undefined ? {} : { roleId };
      return posts.put(channelId, { ...others, content: `${head}${content}`, nonce, ...role }, messageId);
    };
    const done = await say(message);
    return done.result !== 'harmful-link' || bare === undefined ? done : say(bare);
  }

  /** @param replaced the message in whose place it is posted: with the same nonce Discord would return that message */
  async function post(
    drawn: Drawn,
    { channelId, hasTrouble }: OpenChannel,
    replaced?: MessagePlace,
  ): Promise<Put> {
    const { guildId, name } = drawn;
    const nonce = replaced ? `${name} ${replaced.messageId} ${channelId}` : name;
    const { result, messageId } = await withMention(guildId, (roleId) =>
      put(drawn, { channelId }, nonce, roleId),
    );
    if (messageId !== undefined) {
      if (hasTrouble) await setTrouble(guildId, channelId, undefined);
      return { channelId, messageId };
    }
    if (result !== 'gone' && result !== 'no-access' && result !== 'no-permission') return 'failed';
    await setTrouble(guildId, channelId, result);
    return 'nowhere';
  }

  /** Changes the message of a submission, or posts it where it has none. */
  async function putMessage(
    key: ApprovalKey,
    submission: Submission | undefined,
    message: PressedPost | undefined,
  ): Promise<Put> {
    const t = await guildWords(key.guildId);
    const drawn = await draw(t, key, submission);
    // Only what waits is posted.
    const open = submission?.state === 'waiting' ? await openChannelOf(key.guildId) : undefined;
    if (message === undefined) return open ? post(drawn, open) : 'nowhere';
    const { channelId, messageId, by } = message;
    if (open && by === undefined && open.channelId !== channelId) {
      const moved = await post(drawn, open, message);
      if (typeof moved === 'string') return moved;
      const { channelId: movedTo } = moved;
      await posts.put(channelId, { content: t('approval.moved', { channelId: movedTo }) }, messageId);
      return moved;
    }
    const byPress = by && (await putByPress(by, drawn.message));
    if (byPress === 'failed') return byPress;
    if (byPress === 'posted') return message;
    const { result } = await put(drawn, message, drawn.name);
    if (result === 'posted') return message;
    if (result === 'message-gone' && open) return post(drawn, open, message);
    return result === 'failed' || result === 'harmful-link' ? 'failed' : 'nowhere';
  }

  /** Posts a message that mentions the guild's role, if that is due. The role counts as mentioned once Discord has the message. */
  async function withMention(
    guildId: string,
    post: (roleId?: string) => ReturnType<ChannelPosts['put']>,
  ): ReturnType<ChannelPosts['put']> {
    if (mentioning.has(guildId)) return post();
    mentioning.add(guildId);
    try {
      const found = await settings.getOrUnreadable(guildId);
      if (found === 'unreadable' || !isMentionDue(found)) return await post();
      const posted = await post(found.approvalRoleId);
      if (posted.messageId !== undefined) {
        await settings.change(guildId, (now) => ({ ...now, approvalMentionedAt: Date.now() }));
      }
      return posted;
    } finally {
      mentioning.delete(guildId);
    }
  }

  /** Changes the message with the token of the press, which limits of its channel do not hold. */
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

  /** Brings the message of a draft up to date, or the one whose button was pressed. Never throws. */
  async function show({ guildId, id }: ApprovalKey, pressed?: PressedPost): Promise<void> {
    try {
      await edits.run(id, () => showOnce({ guildId, id }, pressed));
    } catch (error) {
      logger.warn({ err: error, guildId }, 'a message about a submission that waits could not be made');
    } finally {
      onChange();
    }
  }

  const complain = (error: unknown) =>
    logger.warn({ err: error }, 'which messages about submissions are due cannot be known now');

  /** Brings every message up to date that is not: of each guild one after the other, at {@link PACE_MS}. */
  async function showEach(): Promise<void> {
    const tried = new Set<string>();
    while (!job.stopping.aborted) {
      const due = ((await approvals.due().catch(complain)) ?? []).filter(({ id }) => !tried.has(id));
      const firsts = new Map(due.toReversed().map((key) => [key.guildId, key])).values();
      for (const key of firsts) {
        if (job.stopping.aborted) return;
        tried.add(key.id);
        await show(key);
      }
      if (due.length === 0) return;
      await sleep(PACE_MS, undefined, { signal: job.stopping }).catch(() => undefined);
    }
  }

  /** Brings every message up to date that is not, once at a time. Never throws. */
  const showDue = oneAtATime(showEach);

  /** What waits in a guild is shown in its log channel, which is another one or takes messages again. Nobody waits for that. */
  async function moved(guildId: string): Promise<void> {
    await approvals.moved(guildId);
    void showDue();
  }

  async function showInOneProcess(): Promise<void> {
    await claimJob('approval messages', EVERY_MS, showDue).catch(complain);
  }

  const part: Part = { name: 'approval messages', ...job };
  return { ...part, show, showDue, moved };
}

function isMentionDue({
  mentionsApprovalRole,
  approvalMentionedAt: at = Number.NEGATIVE_INFINITY,
}: Settings): boolean {
  // A time in the future means that the clock was set back.
  return mentionsApprovalRole === true && (Date.now() - at >= MENTIONED_EVERY_MS || at > Date.now());
}
