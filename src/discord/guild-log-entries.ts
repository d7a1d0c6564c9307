import type { ApiKeys, KeyStatus } from '../guilds/api-keys.ts';
import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import type { Submitter } from '../submissions/drafts.ts';
import type { Observer } from '../submissions/pipeline.ts';
import { endedText } from '../words/ended.ts';
import { escapeText, memberText } from '../words/escape.ts';
import { refusedText } from '../words/refusal.ts';
import { sentences } from '../words/sentences.ts';
import { describe, gravestOf, type KnownGames, signed } from '../words/servers.ts';
import { failureText, serviceWords } from '../words/service.ts';
import type { Reader, Translate } from '../words/words.ts';

export interface SubmissionLogDeps {
  /** The guild's log, in the guild's language. */
  readonly guildLog: {
    tell(guildId: string, makeText: (t: Translate) => string, kind: Outcome['kind']): Promise<void>;
  };
  readonly games: KnownGames;
}

/** Addresses that are named of an order of many servers; /submissions has them all. */
const NAMED = 2;
/** Different messages of the service that are shown of one order, and UTF-16 units of each: all fits into an embed. */
const MESSAGES = 2;
const LONGEST_MESSAGE = 400;

/** Tells a guild's log of every submission and every refusal: a line each, however many servers there are. */
export function createSubmissionLog({ guildLog, games }: SubmissionLogDeps): Observer {
  function whatText(t: Translate, servers: readonly ServerSubmission[]): string {
    const named = servers.slice(0, NAMED).map((server) => describe(t, server, games));
    const count = servers.length - NAMED;
    return count > 0 ? t('look.andMore', { names: named.join(', '), count }) : t.and(named);
  }

  function endText(
    t: Translate,
    user: Submitter['user'],
    ends: readonly { readonly server: ServerSubmission; readonly outcome: Outcome }[],
  ): string {
    const servers = ends.map(({ server }) => server);
    const kinds = [...new Set(ends.map(({ outcome }) => outcome.kind))];
    return [
      `${memberText(user)}: ${whatText(t, servers)}`,
      ...kinds.map((kind) => {
        const ended = ends.filter(({ outcome }) => outcome.kind === kind);
        const said = someOf(ended.map(({ outcome }) => saidOf(outcome, t)));
        return endedText(t, { kind, count: ended.length, said });
      }),
    ].join('\n');
  }

  return {
    async refused({ guildId, user }, servers, refusal) {
      // Nothing is done with a key that is not there.
      if (refusal.code === 'key-missing' || refusal.code === 'key-unreadable') return;
      const whyOf = (t: Translate) =>
        refusal.code === 'key-invalid'
          ? sentences(t('ended.one.not-sent'), t('key.refused'))
          : t('addserver.notReady', { short: refusedText(refusal, t).short });
      await guildLog.tell(
        guildId,
        (t) => `${memberText(user)}: ${whatText(t, servers)}\n${signed('not-sent', whyOf(t))}`,
        'not-sent',
      );
    },
    async ended({ guildId, user }, { servers, outcomes }) {
      const ends = servers.flatMap((server, index) => {
        const outcome = outcomes[index];
        return outcome ? [{ server, outcome }] : [];
      });
      await guildLog.tell(
        guildId,
        (t) => endText(t, user, ends),
        gravestOf(outcomes.map(({ kind }) => kind)),
      );
    },
  };
}

/** The service's own words where it said something, and why there is no answer where there is none. */
function saidOf(outcome: Outcome, t: Translate): string {
  return 'message' in outcome
    ? escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE)
    : failureText(outcome, t);
}

const someOf = (texts: readonly string[]): string => [...new Set(texts)].slice(0, MESSAGES).join(' / ');

export interface KeyAlertDeps {
  readonly guildLog: {
    alert(guildId: string, makeAlert: (t: Translate) => { text: string; details: string }): Promise<void>;
  };
  readonly keys: Pick<ApiKeys, 'status'>;
  readonly mention: Reader['mention'];
}

/**
 * Tells a guild's log that the service refuses the key, and nothing is sent until it is renewed; and who set it, where
 * that is known. Never throws.
 */
export function createKeyAlert({
  guildLog,
  keys,
  mention,
}: KeyAlertDeps): (guildId: string) => Promise<void> {
  return async (guildId) => {
    const status = await keys.status(guildId).catch(() => undefined);
    await guildLog.alert(guildId, (t) => {
      const setBy = status && keySetByText(t, status);
      const details = [t('key.check', { keystatus: mention('keystatus') }), ...(setBy ? [setBy] : [])];
      return {
        text: signed(
          'rejected',
          sentences(t('key.refused'), t('key.next.admin', { setkey: mention('setkey') })),
        ),
        details: details.join('\n'),
      };
    });
  };
}

/** Who set the key, and when; `undefined` where that is not known. */
function keySetByText(
  t: Translate,
  { setBy, setAt }: Pick<KeyStatus, 'setBy' | 'setAt'>,
): string | undefined {
  if (setBy === undefined || setAt === undefined) return undefined;
  return t('keystatus.set', { userId: setBy, seconds: Math.floor(Date.parse(setAt) / 1000) });
}
