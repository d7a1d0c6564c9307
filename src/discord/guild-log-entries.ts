import type { ApiKeys, KeyStatus } from '../guilds/api-keys.ts';
import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import type { Submitter } from '../submissions/drafts.ts';
import type { Observer, Refusal } from '../submissions/pipeline.ts';
import { escapeText, LONGEST_ESCAPED_NAME, memberText } from '../words/escape.ts';
import { describe, gameNamed, gravestOf, type KnownGames, LOOK } from '../words/servers.ts';
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
  const nameOfGame = (alias: string) => escapeText(gameNamed(alias, games).name, LONGEST_ESCAPED_NAME);

  function whatText(t: Translate, servers: readonly ServerSubmission[]): string {
    const named = servers
      .slice(0, NAMED)
      .map((server) => describe(t, server, games))
      .join(', ');
    const count = servers.length - NAMED;
    return count > 0 ? t('guildLog.andMore', { named, count }) : named;
  }

  function endText(
    t: Translate,
    user: Submitter['user'],
    ends: readonly { readonly server: ServerSubmission; readonly outcome: Outcome }[],
  ): string {
    const servers = ends.map(({ server }) => server);
    const kinds = [...new Set(ends.map(({ outcome }) => outcome.kind))];
    return [
      t('guildLog.submitted', { member: memberText(user), what: whatText(t, servers) }),
      ...kinds.map((kind) => {
        const ended = ends.filter(({ outcome }) => outcome.kind === kind);
        const said = ended.map(({ outcome }) => saidOf(outcome, t));
        const values = {
          count: ended.length,
          message: someOf(said.map(({ message }) => message)),
          reason: someOf(said.map(({ reason }) => reason)),
        };
        return signed(kind, t(`guildLog.part.${kind}`, values));
      }),
    ].join('\n');
  }

  return {
    async refused({ guildId, user }, servers, refusal) {
      // Nothing is done with a key that is not there.
      if (refusal.code === 'key-missing' || refusal.code === 'key-unreadable') return;
      const lineOf = (t: Translate) =>
        t('guildLog.refused', {
          member: memberText(user),
          what: whatText(t, servers),
          reason: reasonText(t, refusal, nameOfGame),
        });
      await guildLog.tell(guildId, (t) => signed('not-sent', lineOf(t)), 'not-sent');
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

const signed = (kind: Outcome['kind'], text: string): string => `${LOOK[kind].sign} ${text}`;

/** The service's own words where it said something, and why there is no answer where there is none. */
function saidOf(outcome: Outcome, t: Translate): { readonly message: string; readonly reason: string } {
  return 'message' in outcome
    ? { message: escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE), reason: '' }
    : { message: '', reason: failureText(outcome, t) };
}

const someOf = (texts: readonly string[]): string => [...new Set(texts)].slice(0, MESSAGES).join(' / ');

/** Why nothing was sent, in a few words. */
function reasonText(
  t: Translate,
  refusal: Exclude<Refusal, { code: 'key-missing' | 'key-unreadable' }>,
  nameOf: (alias: string) => string,
): string {
  switch (refusal.code) {
    case 'game-not-allowed':
      return t('guildLog.reason.game-not-allowed', { game: nameOf(refusal.game) });
    default:
      return t(`guildLog.reason.${refusal.code}`);
  }
}

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
      const details = [
        t('notice.keyRefusedDetails', { keystatus: mention('keystatus') }),
        ...(setBy ? [setBy] : []),
      ];
      return { text: t('notice.keyRefused', { setkey: mention('setkey') }), details: details.join('\n') };
    });
  };
}

/** Who set the key, and when; `undefined` where that is not known. */
function keySetByText(
  t: Translate,
  { setBy, setAt }: Pick<KeyStatus, 'setBy' | 'setAt'>,
): string | undefined {
  if (setBy === undefined || setAt === undefined) return undefined;
  return t('notice.keySetBy', { userId: setBy, seconds: Math.floor(Date.parse(setAt) / 1000) });
}
