import type { ApiKeys } from '../guilds/api-keys.ts';
import type { KeyChange, ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { Logger } from '../logger.ts';
import { isUnsent } from '../submissions/draft.ts';
import type { Submitter } from '../submissions/drafts.ts';
import type { Observer } from '../submissions/pipeline.ts';
import { escapeText, memberText } from '../words/escape.ts';
import { keySetText } from '../words/keys.ts';
import { whyNotSubmitted } from '../words/not-submitted.ts';
import { outcomesForLog } from '../words/outcomes.ts';
import { namedText, sentences } from '../words/sentences.ts';
import { describeServer, withSign, worstOf } from '../words/servers.ts';
import { failureText } from '../words/service.ts';
import type { Audience, Translate } from '../words/words.ts';
import type { GuildLog } from './guild-log.ts';

export interface SubmissionLogDeps {
  readonly guildLog: Pick<GuildLog, 'add'>;
  readonly games: GameIndex;
}

/** /submissions shows all addresses. */
const MAX_ADDRESSES_NAMED = 2;

/**
 * Creates an observer that adds a line to the guild's log channel for every submission, and whenever servers could not be
 * submitted. Outcomes that the moderators' message already shows don't get a line.
 */
export function createSubmissionLog({ guildLog, games }: SubmissionLogDeps): Observer {
  function submissionText(
    t: Translate,
    user: Submitter['user'],
    servers: readonly ServerSubmission[],
  ): string {
    const named = servers.slice(0, MAX_ADDRESSES_NAMED).map((server) => describeServer(t, server, games));
    return t('look.about', { item: memberText(user), why: namedText(t, named, servers.length) });
  }

  return {
    async notSubmitted({ guildId, user }, servers, reason) {
      // The log channel shows how the guild's key is used, so a missing or unreadable key isn't logged. Blocked members'
      // attempts aren't logged either, because they could fill the channel.
      if (
        reason.code === 'key-missing' ||
        reason.code === 'key-unreadable' ||
        reason.code === 'member-blocked'
      )
        return;
      const whyOf = (t: Translate) => {
        switch (reason.code) {
          case 'key-invalid':
            return sentences(t('ended.one.not-sent'), t('key.rejected'));
          case 'held-back':
            return sentences(t('ended.one.not-sent'), failureText(reason.outcome, t));
          default:
            return t('addserver.notReady', { short: whyNotSubmitted(reason, t).short });
        }
      };
      await guildLog.add(
        guildId,
        (t) => `${submissionText(t, user, servers)} · ${withSign('not-sent', whyOf(t))}`,
        'not-sent',
      );
    },
    async ended({ guildId, user, approvedBy }, ended, isShown) {
      if (isShown) return;
      const servers = ended.map(({ server }) => server);
      const { length: again } = ended.filter(({ outcome }) => isUnsent(outcome));
      const approvedTexts = (t: Translate) =>
        approvedBy === undefined
          ? []
          : [
              t('approval.approvedBy', { user: memberText(approvedBy) }),
              ...(again > 0 ? [t('approval.again', { count: again })] : []),
            ];
      await guildLog.add(
        guildId,
        (t) =>
          [submissionText(t, user, servers), ...outcomesForLog(t, ended), ...approvedTexts(t)].join(' · '),
        worstOf(ended.map(({ outcome }) => outcome.kind)),
      );
    },
  };
}

export interface KeyAlertDeps {
  readonly guildLog: Pick<GuildLog, 'add' | 'alert'>;
  readonly keys: Pick<ApiKeys, 'status'>;
  readonly mention: Audience['mention'];
  readonly logger: Pick<Logger, 'info'>;
}

const KEY_CHANGES: Readonly<Record<KeyChange, string>> = {
  rejected: "the listing service rejects a guild's API key; will try it only once an hour",
  'works again': "the listing service accepts a guild's API key again",
};

/**
 * Creates the function that notifies the operator and the guild's admins when the service rejects the guild's key or
 * accepts it again. The alert for admins explains that the bot will try the key once an hour until it works or is replaced,
 * and names the member who set the key, if known. The returned function never throws.
 */
export function createKeyAlert(deps: KeyAlertDeps): (guildId: string, change: KeyChange) => Promise<void> {
  const { guildLog, keys, mention, logger } = deps;
  return async (guildId, change) => {
    logger.info({ guildId }, KEY_CHANGES[change]);
    if (change === 'works again') {
      await guildLog.add(guildId, (t) => withSign('accepted', t('guildLog.keyWorks')), 'accepted');
      return;
    }
    const status = await keys.status(guildId).catch(() => undefined);
    await guildLog.alert(guildId, (t) => {
      // Command mentions go in the text instead of the embed, because they can't be tapped in embeds on Android
      // (discord-api-docs#5635).
      const text = sentences(
        t('key.rejected'),
        t('key.next.admin', { setkey: mention('setkey') }),
        t('key.check', { keystatus: mention('keystatus') }),
      );
      const details = (status && keySetText(t, status)) ?? '';
      return { text: withSign('rejected', text), details };
    });
  };
}

/** Creates the function that reports, in the log channel, which allowed games the service no longer has. Never throws. */
export const createGoneGamesEntry =
  ({ guildLog, mention }: Pick<KeyAlertDeps, 'guildLog' | 'mention'>) =>
  (guildId: string, aliases: readonly string[]): Promise<void> =>
    guildLog.add(guildId, (t) => {
      const games = t.and(aliases.map((alias) => escapeText(alias)));
      return withSign('not-sent', t('guildLog.gamesGone', { games, settings: mention('settings') }));
    });
