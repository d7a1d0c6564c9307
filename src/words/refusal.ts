import { formatAddress } from '../addresses/address.ts';
import type { ApiKeys, KeyStatus } from '../guilds/api-keys.ts';
import {
  type Failure,
  type FailureReason,
  isHalted,
  type NotSent,
  type Outcome,
} from '../listing/contract.ts';
import type { Secret } from '../secret.ts';
import type { Refusal, SubmittedBefore } from '../submissions/checks.ts';
import type { NoDraft } from '../submissions/pipeline.ts';
import { UserError } from '../user-error.ts';
import { type NamedGames, notAllowedText } from './games.ts';
import { escapeText, LONGEST_ESCAPED_NAME, listAbout, type Reader, type Translate } from './words.ts';

/** Why nothing was sent, as a sentence for the member who asked. */
export function refusalText(refusal: Refusal, reader: Reader, games: NamedGames): string {
  const { t } = reader;
  switch (refusal.code) {
    case 'key-missing':
    case 'key-unreadable':
      return t('addserver.notReady', { problem: keyText(refusal, reader) });
    case 'key-invalid':
      return `${t('refusal.key-invalid')} ${renewText(reader, refusal.setBy)}`;
    case 'in-flight': {
      const { server: host, port } = refusal.server;
      return t('refusal.in-flight', { address: formatAddress({ host, port }) });
    }
    case 'submitted-before': {
      const [server] = refusal.servers;
      return server ? submittedBefore(server, reader) : t('refusal.submitted-before');
    }
    case 'member-limit':
    case 'guild-limit':
    case 'daily-quota':
      // Discord counts down by itself, in the member's language.
      return t(`refusal.${refusal.code}`, { count: refusal.limit, seconds: Math.ceil(refusal.until / 1000) });
    case 'service-down':
      return t('refusal.service-down');
    case 'game-not-allowed':
      return notAllowedText(refusal.game, t, games);
  }
}

/** The same in a few words, for the guild's log. */
export function reasonText(
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

/** Why there is no usable answer of the listing service, as a sentence for a member. Never the service's text. */
export function failureText(failure: Failure, t: Translate): string {
  if (failure.kind === 'unknown') return t(`service.${AFTER_SENDING[failure.reason]}`);
  if (isHalted(failure)) return t(`halt.${failure.reason}`);
  if (failure.retryAfterMs !== undefined) {
    // Discord counts down by itself, in the member's language.
    return t('service.keyRests', { seconds: Math.ceil((Date.now() + failure.retryAfterMs) / 1000) });
  }
  return t(BEFORE_SENDING[failure.reason] ?? 'service.down');
}

/** What happened to a request that had left, or a part of it. */
const AFTER_SENDING = {
  timeout: 'silent',
  reset: 'reset',
  aborted: 'stopped',
  redirect: 'moved',
  'rate-limited': 'limited',
  'server-error': 'failed',
  'not-found': 'notFound',
  'client-error': 'refusedRequest',
  'not-json': 'broken',
  'wrong-shape': 'broken',
  'key-repeated': 'keyRepeated',
  'too-large': 'tooLarge',
  // What can only happen before anything leaves; a connection that fails later has broken off.
  refused: 'reset',
  dns: 'reset',
  tls: 'reset',
  down: 'reset',
  'queue-full': 'reset',
  'too-late': 'reset',
  'key-dropped': 'reset',
} as const satisfies Readonly<Record<FailureReason, string>>;

/** Why nothing left, where it is not that the service could not be reached. */
const BEFORE_SENDING: Readonly<Partial<Record<NotSent['reason'], BeforeSending>>> = {
  tls: 'service.unsafe',
  'key-dropped': 'service.keyDropped',
  'queue-full': 'service.queueFull',
  'too-late': 'service.tooLate',
  aborted: 'halt.stopping',
};
type BeforeSending = `service.${'unsafe' | 'keyDropped' | 'queueFull' | 'tooLate'}` | 'halt.stopping';

/** The keys of guilds, to submit with. */
export type GuildKeys = Pick<ApiKeys, 'usable' | 'status'>;

/** Why a guild has no key to submit with. */
export type NoKey = Extract<Refusal, { readonly code: `key-${string}` }>;

/**
 * What to do about a key that the service refuses: an admin renews it, a member asks one.
 * @param setBy the id of who set it, where that is known
 */
export function renewText({ t, mention, isAdmin }: Reader, setBy?: string): string {
  const renew = t(isAdmin ? 'notice.renew' : 'notice.askToRenew', { setkey: mention('setkey') });
  return setBy === undefined ? renew : `${renew} ${t('notice.setBy', { userId: setBy })}`;
}

/** Whether a server ended so because of the guild's key: an admin has to do something about that. */
export const isAboutKey = (outcome: Outcome): boolean =>
  (outcome.kind === 'rejected' && outcome.known === 'invalidKey') ||
  (outcome.kind === 'not-sent' && (outcome.reason === 'key' || outcome.reason === 'key-dropped'));

/** What to do after servers were refused, or not sent, because of the key; nothing where it is in order by now. */
export function nextForKey(reader: Reader, why: NoKey | undefined): readonly string[] {
  if (why === undefined) return [];
  if (why.code !== 'key-invalid') return [keyText(why, reader)];
  return [renewText(reader, why.setBy)];
}

/** Why a guild has no key to submit with; `undefined` when it has one. From memory, as a rule. */
export async function noKeyOf(guildId: string, keys: Pick<GuildKeys, 'status'>): Promise<NoKey | undefined> {
  const status = await keys.status(guildId);
  if (status === undefined) return { code: 'key-missing' };
  const { readable, invalidSince, setBy = '' } = status;
  if (!readable) return { code: 'key-unreadable' };
  return invalidSince === undefined ? undefined : { code: 'key-invalid', setBy };
}

/**
 * Why a guild has no key to submit with by now, where servers ended because of it. Should the store fail, nobody knows,
 * and that keeps no member from what came of the servers.
 */
export const noKeyAfter = async (
  outcomes: readonly Outcome[],
  guildId: string,
  keys: Pick<GuildKeys, 'status'>,
): Promise<NoKey | undefined> =>
  outcomes.some(isAboutKey) ? noKeyOf(guildId, keys).catch(() => undefined) : undefined;

/** The guild's key to submit with, if it has one. */
export async function keyOf(guildId: string, keys: Pick<GuildKeys, 'usable'>): Promise<Secret | undefined> {
  const key = await keys.usable(guildId);
  return 'code' in key ? undefined : key;
}

/** What is wrong with the guild's key, and what the one who reads it can do about it. */
export function keyText(why: NoKey, reader: Reader): string {
  const { t, mention, isAdmin } = reader;
  if (why.code === 'key-invalid') return `${t('notice.forAdmins')} ${renewText(reader, why.setBy)}`;
  const what = why.code === 'key-missing' ? 'missing' : 'unreadable';
  return t(`key.${what}.${isAdmin ? 'admin' : 'member'}`, { setkey: mention('setkey') });
}

/** Who submitted a server before, when, and how it ended. */
function submittedBefore(
  { server: host, port, at, outcome, userName, isYours }: SubmittedBefore,
  reader: Reader,
): string {
  const { t } = reader;
  const address = formatAddress({ host, port });
  const about = { address, seconds: Math.floor(at / 1000), ...listAbout(reader, { server: host, port }) };
  if (isYours) return t(`twice.${outcome}ByYou`, about);
  return userName === ''
    ? t(`twice.${outcome}`, about)
    : t(`twice.${outcome}By`, { ...about, user: escapeText(userName, LONGEST_ESCAPED_NAME) });
}

/** There is no server any more that a button or a window could submit. */
export const noServer = ({ t, mention }: Reader, isSubmitted: boolean): UserError =>
  new UserError(isSubmitted ? t('again.taken') : t('again.gone', { addserver: mention('addserver') }), {
    isOver: true,
  });

/** There is no list to submit. */
export function noList(why: NoDraft, t: Translate): UserError {
  if (why === 'of-another-member') return new UserError(t('list.notYours'));
  return why === 'empty'
    ? new UserError(t('list.nothingLeft'))
    : new UserError(t('list.gone'), { isOver: true });
}

/** That a key was not tried, and when one can be; `at` in milliseconds since 1970. */
export const tooSoonText = ({ at }: { readonly at: number }, t: Translate): string =>
  t('setkey.tooSoon', { seconds: Math.ceil(at / 1000) });

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
export function createKeyNotice({ keys }: { readonly keys: Pick<GuildKeys, 'status'> }) {
  return async (reader: Reader & { readonly guildId: string }, command: string, answer: string) => {
    if (SAY_SO.includes(command) || answer.includes(renewText(reader))) return undefined;
    const noKey = await noKeyOf(reader.guildId, keys);
    return noKey?.code === 'key-invalid' ? keyText(noKey, reader) : undefined;
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
