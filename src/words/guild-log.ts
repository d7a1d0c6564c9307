import { formatAddress } from '../addresses/address.ts';
import type { ApiKeys, KeyStatus } from '../guilds/api-keys.ts';
import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import type { Refusal } from '../submissions/checks.ts';
import type { Observer } from '../submissions/order.ts';
import type { Submitter } from '../submissions/record.ts';
import { escapeText, LONGEST_NAME } from './escape.ts';
import { gameNamed, type KnownGames } from './games.ts';
import { failureText, renewText, serviceWords } from './service.ts';
import type { Reader, Translate } from './words.ts';

export interface SubmissionLogDeps {
  /** The guild's log, in the guild's language. */
  readonly guildLog: { tell(guildId: string, makeText: (t: Translate) => string): Promise<void> };
  readonly games: KnownGames;
}

/** Addresses that are named of an order of many servers; /submissions has them all. */
const NAMED = 5;
/** Different messages of the service that are shown of one order, and UTF-16 units of each: all fits into an embed. */
const MESSAGES = 2;
const LONGEST_MESSAGE = 400;

/** Tells a guild's log of every submission and every refusal: a line each, however many servers there are. */
export function createSubmissionLog({ guildLog, games }: SubmissionLogDeps): Observer {
  const nameOfGame = (alias: string) => escapeText(gameNamed(alias, games).name, LONGEST_NAME);

  function nameOf({ game, server, port }: ServerSubmission): string {
    return `**${nameOfGame(game)}** — \`${formatAddress({ host: server, port })}\``;
  }

  function whatText(t: Translate, servers: readonly ServerSubmission[]): string {
    const named = servers.slice(0, NAMED).map(nameOf).join(', ');
    const count = servers.length - NAMED;
    return count > 0 ? t('guildLog.andMore', { named, count }) : named;
  }

  function endText(
    t: Translate,
    user: Submitter['user'],
    ends: readonly { readonly server: ServerSubmission; readonly outcome: Outcome }[],
  ): string {
    const what = whatText(
      t,
      ends.map(({ server }) => server),
    );
    const values = { member: memberText(user), what };
    const [first] = ends;
    if (first !== undefined && ends.length === 1) {
      return t(`guildLog.one.${wordOf(first.outcome)}`, { ...values, ...saidOf(first.outcome, t) });
    }
    const kinds = [...new Set(ends.map(({ outcome }) => wordOf(outcome)))];
    return [
      t('guildLog.many', { ...values, count: ends.length }),
      ...kinds.map((kind) => {
        const ended = ends.filter(({ outcome }) => wordOf(outcome) === kind);
        const said = ended.map(({ outcome }) => saidOf(outcome, t));
        return t(`guildLog.part.${kind}`, {
          count: ended.length,
          message: someOf(said.map(({ message }) => message)),
          reason: someOf(said.map(({ reason }) => reason)),
        });
      }),
    ].join('\n');
  }

  return {
    async refused({ guildId, user }, servers, refusal) {
      // Nothing is done with a key that is not there.
      if (refusal.code === 'key-missing' || refusal.code === 'key-unreadable') return;
      await guildLog.tell(guildId, (t) =>
        t('guildLog.refused', {
          member: memberText(user),
          what: whatText(t, servers),
          reason: reasonText(t, refusal, nameOfGame),
        }),
      );
    },
    async ended({ guildId, user }, { servers, outcomes }) {
      const ends = servers.flatMap((server, index) => {
        const outcome = outcomes[index];
        return outcome ? [{ server, outcome }] : [];
      });
      await guildLog.tell(guildId, (t) => endText(t, user, ends));
    },
  };
}

/** A member as a mention, which pings nobody in an embed, and as a name, which stays when they have left. */
export function memberText({ id, name }: Submitter['user']): string {
  return `<@${id}> (${escapeText(name, LONGEST_NAME)})`;
}

const wordOf = ({ kind }: Outcome) => (kind === 'not-sent' ? 'notSent' : kind);

/** The service's own words where it said something, and why there is no answer where there is none. */
function saidOf(outcome: Outcome, t: Translate): { readonly message: string; readonly reason: string } {
  return 'message' in outcome
    ? { message: escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE), reason: '' }
    : { message: '', reason: failureText(outcome, t) };
}

const someOf = (texts: readonly string[]): string => [...new Set(texts)].slice(0, MESSAGES).join(' / ');

function reasonText(
  t: Translate,
  refusal: Exclude<Refusal, { code: 'key-missing' | 'key-unreadable' }>,
  nameOf: (alias: string) => string,
): string {
  switch (refusal.code) {
    case 'game-not-allowed':
      return t('guildLog.reason.game-not-allowed', { game: nameOf(refusal.game) });
    case 'daily-quota':
      return t('guildLog.reason.daily-quota', { count: refusal.limit });
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

/** Commands that say how the key is by themselves. */
const SAY_SO: readonly string[] = ['settings', 'keystatus'];

/**
 * What an admin reads above the answer to any command until a key that the service refuses is renewed; nothing where
 * the answer says so by itself.
 */
export function createKeyNotice({ keys }: Pick<KeyAlertDeps, 'keys'>) {
  return async (reader: Reader & { readonly guildId: string }, command: string, answer: string) => {
    const { t, guildId } = reader;
    const renew = renewText(reader);
    if (answer.includes(renew)) return undefined;
    const status = SAY_SO.includes(command) ? undefined : await keys.status(guildId);
    if (status?.invalidSince === undefined) return undefined;
    const setBy = status.setBy === undefined ? [] : [t('notice.setBy', { userId: status.setBy })];
    return [t('notice.forAdmins'), renew, ...setBy].join(' ');
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
