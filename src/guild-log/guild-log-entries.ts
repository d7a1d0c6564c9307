import type { ApiKeys } from '../guilds/api-keys.ts';
import type { KeyChange, ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { Logger } from '../logger.ts';
import type { Submitter } from '../submissions/drafts.ts';
import type { Observer } from '../submissions/pipeline.ts';
import { escapeText, memberText } from '../words/escape.ts';
import { whyNotSubmitted } from '../words/not-submitted.ts';
import { outcomesForLog } from '../words/outcomes.ts';
import { namedText, sentences } from '../words/sentences.ts';
import { describe, withSign, worstOf } from '../words/servers.ts';
import type { Audience, Translate } from '../words/words.ts';
import type { GuildLog } from './guild-log.ts';

export interface SubmissionLogDeps {
  readonly guildLog: Pick<GuildLog, 'tell'>;
  readonly games: GameIndex;
}

/** How many addresses of a submission are named; /submissions has them all. */
const NAMED = 2;

/** Tells a guild's log channel of every submission, and of what could not be submitted: one line each, however many servers it has. */
export function createSubmissionLog({ guildLog, games }: SubmissionLogDeps): Observer {
  function submissionText(
    t: Translate,
    user: Submitter['user'],
    servers: readonly ServerSubmission[],
  ): string {
    const named = servers.slice(0, NAMED).map((server) => describe(t, server, games));
    return t('look.about', { item: memberText(user), why: namedText(t, named, servers.length) });
  }

  return {
    async notSubmitted({ guildId, user }, servers, reason) {
      // The log channel is about what is done with the key, and there is none.
      if (reason.code === 'key-missing' || reason.code === 'key-unreadable') return;
      const whyOf = (t: Translate) =>
        reason.code === 'key-invalid'
          ? sentences(t('ended.one.not-sent'), t('key.rejected'))
          : t('addserver.notReady', { short: whyNotSubmitted(reason, t).short });
      await guildLog.tell(
        guildId,
        (t) => `${submissionText(t, user, servers)} · ${withSign('not-sent', whyOf(t))}`,
        'not-sent',
      );
    },
    async ended({ guildId, user }, ended) {
      const servers = ended.map(({ server }) => server);
      await guildLog.tell(
        guildId,
        (t) => [submissionText(t, user, servers), ...outcomesForLog(t, ended)].join(' · '),
        worstOf(ended.map(({ outcome }) => outcome.kind)),
      );
    },
  };
}

export interface KeyAlertDeps {
  readonly guildLog: Pick<GuildLog, 'alert' | 'tell'>;
  readonly keys: Pick<ApiKeys, 'status'>;
  readonly mention: Audience['mention'];
  readonly logger: Pick<Logger, 'info'>;
}

/** What the operator reads of a change of a guild's key. */
const KEY_CHANGES: Readonly<Record<KeyChange, string>> = {
  rejected: "the listing service rejects a guild's API key; from now on it is tried once an hour",
  'works again': "the listing service accepts a guild's API key again",
};

/**
 * Tells the operator and the guild's admins that the service rejects the key, or accepts it again. Admins read that one try an
 * hour is sent until the key works or is renewed, and who set it, if that is known. Never throws.
 */
export function createKeyAlert(deps: KeyAlertDeps): (guildId: string, change: KeyChange) => Promise<void> {
  const { guildLog, keys, mention, logger } = deps;
  return async (guildId, change) => {
    logger.info({ guildId }, KEY_CHANGES[change]);
    if (change === 'works again') {
      await guildLog.tell(guildId, (t) => withSign('accepted', t('guildLog.keyWorks')), 'accepted');
      return;
    }
    const { setBy, setAt } = (await keys.status(guildId).catch(() => undefined)) ?? {};
    await guildLog.alert(guildId, (t) => {
      // Commands stand in the text: Android shows none to tap in an embed (discord-api-docs#5635).
      const text = sentences(
        t('key.rejected'),
        t('key.next.admin', { setkey: mention('setkey') }),
        t('key.check', { keystatus: mention('keystatus') }),
      );
      const isKnown = setBy !== undefined && setAt !== undefined;
      const details = isKnown
        ? t('keystatus.set', { userId: setBy, seconds: Math.floor(Date.parse(setAt) / 1000) })
        : '';
      return { text: withSign('rejected', text), details };
    });
  };
}

/** Tells a guild's log channel which of the games that it allows the service no longer has, by their aliases. Never throws. */
export const createGoneGamesEntry =
  ({
    guildLog,
    mention,
  }: {
    readonly guildLog: Pick<GuildLog, 'tell'>;
    readonly mention: Audience['mention'];
  }) =>
  (guildId: string, aliases: readonly string[]): Promise<void> =>
    guildLog.tell(guildId, (t) => {
      const games = t.and(aliases.map((alias) => escapeText(alias)));
      return withSign('not-sent', t('guildLog.gamesGone', { games, settings: mention('settings') }));
    });
