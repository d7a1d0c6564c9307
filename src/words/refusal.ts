import { formatAddress } from '../addresses/address.ts';
import type { Secret } from '../secret.ts';
import type { Refusal } from '../submissions/checks.ts';
import type { HistoryEntry } from '../submissions/history.ts';
import type { NoDraft, PipelineDeps } from '../submissions/order.ts';
import { UserError } from '../user-error.ts';
import { escapeText, LONGEST_NAME } from './escape.ts';
import { listAbout, renewText } from './service.ts';
import type { Reader, Translate } from './words.ts';

/** Why nothing was sent, as a sentence for the member who asked. */
export function refusalText(refusal: Refusal, reader: Reader): string {
  const { t, mention } = reader;
  switch (refusal.code) {
    case 'key-missing':
      return t('addserver.notReady', { problem: t('addserver.noKey', { setkey: mention('setkey') }) });
    case 'key-unreadable':
      return t('addserver.notReady', { problem: t('failure.undecryptable', { setkey: mention('setkey') }) });
    case 'key-invalid':
      return [t('refusal.key-invalid'), renewText(reader), t('notice.setBy', { userId: refusal.setBy })].join(
        ' ',
      );
    case 'in-flight': {
      const { server: host, port } = refusal.server;
      return t('refusal.in-flight', { address: formatAddress({ host, port }) });
    }
    case 'submitted-before': {
      const [entry] = refusal.entries;
      return entry ? submittedBefore(entry, reader) : t('refusal.submitted-before');
    }
    case 'member-limit':
    case 'guild-limit':
    case 'daily-quota':
      // Discord counts down by itself, in the member's language.
      return t(`refusal.${refusal.code}`, { count: refusal.limit, seconds: Math.ceil(refusal.until / 1000) });
    case 'service-down':
      return t('refusal.service-down');
    case 'game-not-allowed':
      return t('refusal.game-not-allowed', { game: escapeText(refusal.game, LONGEST_NAME) });
  }
}

/** The keys of guilds, to submit with. */
export type GuildKeys = Pick<PipelineDeps['keys'], 'usable'>;

/**
 * The guild's key, to submit with.
 * @throws UserError when it has none, or one that cannot be opened or that the service has refused
 */
export async function guildKey(
  context: Reader & { readonly guildId: string },
  keys: GuildKeys,
): Promise<Secret> {
  const key = await keys.usable(context.guildId);
  if (!('code' in key)) return key;
  throw new UserError(refusalText(key, context));
}

/** Who submitted a server before, when, and how it ended. */
function submittedBefore(
  { server: host, port, at, outcome, userName }: HistoryEntry,
  reader: Reader,
): string {
  const { t } = reader;
  const address = formatAddress({ host, port });
  const about = { address, seconds: Math.floor(at / 1000), ...listAbout(reader, { server: host, port }) };
  const ended = outcome === 'accepted' ? 'accepted' : 'unknown';
  return userName === ''
    ? t(`twice.${ended}`, about)
    : t(`twice.${ended}By`, { ...about, user: escapeText(userName, LONGEST_NAME) });
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
