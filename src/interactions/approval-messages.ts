import { createBoundedMap } from '../bounded-map.ts';
import type { ChannelPosts } from '../discord/channel-posts.ts';
import { DEFAULTS, type GuildSettings, type logChannels } from '../guilds/settings.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { Logger } from '../logger.ts';
import type { Approval, ApprovalKey, Approvals, MessagePlace } from '../submissions/approvals.ts';
import type { WordsFor } from '../words/words.ts';
import { approvalView, decisionButtons } from './approval-view.ts';
import { rows } from './controls.ts';

export interface ApprovalMessagesDeps {
  readonly approvals: Pick<Approvals, 'find' | 'due' | 'shown'>;
  readonly posts: Pick<ChannelPosts, 'put'>;
  readonly settings: Pick<GuildSettings, 'find'>;
  readonly setTrouble: ReturnType<typeof logChannels>['setTrouble'];
  readonly wordsFor: WordsFor;
  readonly games: GameIndex;
  readonly logger: Pick<Logger, 'warn'>;
}

export type ApprovalMessages = ReturnType<typeof createApprovalMessages>;

/** How long it takes until a message is tried again that Discord could not take, in milliseconds. */
const PAUSE_MS = 60_000;
/** How many such messages are remembered; the oldest is tried again first. */
const MOST_FAILED = 1_000;

/**
 * The messages in the log channel on which moderators decide. Each is made from the row of its submission alone, after each
 * change of it, so that it does not matter who made the change, in which process and when.
 */
export function createApprovalMessages(deps: ApprovalMessagesDeps) {
  const { approvals, posts, settings, setTrouble, wordsFor, games, logger } = deps;
  /** By submission: ends when its message is shown. */
  const showing = new Map<string, Promise<void>>();
  /** By submission: when its message may be tried again, in milliseconds of a clock that nobody sets. */
  const failedUntil = createBoundedMap<number>(MOST_FAILED);

  /** @returns whether Discord has taken it, or never will */
  async function showOnce(key: ApprovalKey, pressed: MessagePlace | undefined): Promise<boolean> {
    let mayBeOutdated = pressed !== undefined;
    for (;;) {
      const found = await approvals.find(key);
      if (!found?.isMessageDue && !mayBeOutdated) return true;
      const approval = found ?? { ...key, ...DELETED };
      const put = await putMessage({ ...approval, message: pressed ?? approval.message });
      if (put === 'failed') return false;
      // Another press may have changed it meanwhile, and its message may have been overwritten by this one. Another process
      // may have found no message to bring up to date.
      if (await approvals.shown(approval, put)) return true;
      mayBeOutdated = true;
    }
  }

  /** @returns where it is; `undefined` where there can be none: /submissions shows it all the same */
  async function putMessage(approval: Approval) {
    const { guildId, id, message } = approval;
    const found = await settings.find(guildId);
    const { locale, logChannelId, logTrouble } = found === 'unreadable' ? DEFAULTS : found;
    const isClosed = logChannelId === undefined || logTrouble !== undefined;
    if (message === undefined && (isClosed || approval.state !== 'waiting')) return undefined;
    const channelId = message?.channelId ?? logChannelId ?? '';
    const t = wordsFor(locale);
    const { content, embeds } = approvalView(t, approval, games);
    const [embed = {}] = embeds;
    const shown = { nonce: id, content, embed, components: rows(decisionButtons(t, approval)) };
    const { result, messageId } = await posts.put(channelId, shown, message?.messageId);
    if (result === 'failed') return result;
    if (messageId !== undefined) return { channelId, messageId };
    if (message === undefined && result !== 'posted') await setTrouble(guildId, channelId, result);
    return undefined;
  }

  /**
   * Brings a message up to date. One after the other for each submission; never throws.
   * @param pressed the message of which a button was pressed: whatever it shows by now
   */
  function show({ guildId, id }: ApprovalKey, pressed?: MessagePlace): Promise<void> {
    const before = showing.get(id) ?? Promise.resolve();
    const shown = before
      .then(() => showOnce({ guildId, id }, pressed))
      .catch((error: unknown) => {
        logger.warn({ err: error, guildId }, 'a message about a submission that waits could not be made');
        return false;
      })
      .then((isDone) => {
        if (isDone) failedUntil.delete(id);
        else failedUntil.set(id, performance.now() + PAUSE_MS);
        if (showing.get(id) === shown) showing.delete(id);
      });
    showing.set(id, shown);
    return shown;
  }

  return {
    show,
    /** Shows, in the background, what this process or a dead one has not. Throws a StoreError when the store fails. */
    async showDue(): Promise<void> {
      for (const key of await approvals.due()) {
        const isLeftAlone = performance.now() < (failedUntil.get(key.id) ?? 0);
        if (!isLeftAlone && !showing.has(key.id)) void show(key);
      }
    },
  };
}

/** What somebody had deleted, with all of the guild. */
const DELETED = {
  state: 'withdrawn',
  userId: '',
  decidedBy: '',
  refusal: '',
  expiresAt: 0,
  rows: [],
  source: undefined,
  ended: [],
  message: undefined,
  isMessageDue: false,
  revision: '',
  version: '',
} as const;
