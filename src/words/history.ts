import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import type { HistoryEntry } from '../submissions/history.ts';
import { describe, type KnownGames, LOOK, serviceWords } from './outcome.ts';
import { isAboutKey, renewText } from './refusal.ts';
import { escapeText, listAbout, type Reader } from './words.ts';

/** UTF-16 units. Ten entries with the longest message fit into the 4,096 characters of an embed. */
const LONGEST_MESSAGE = 100;
const LONGEST_WORDS = { name: 60, address: 80 };

/** What was submitted, by whom unless it is the reader's own, and what became of it. */
export function entryText(
  { t }: Reader,
  entry: HistoryEntry,
  { games, own }: { readonly games: KnownGames; readonly own: boolean },
): string {
  const { at, userId, outcome, message } = entry;
  const said =
    outcome === 'rejected' ? `: ${escapeText(serviceWords(message ?? '', t), LONGEST_MESSAGE)}` : '';
  const how = [
    `${LOOK[outcome].sign} ${t(`outcome.${outcome}`)}${said}`,
    `<t:${Math.floor(at / 1000)}:R>`,
    ...(own ? [] : [userId === '' ? t('submissions.byUnknown') : t('submissions.by', { userId })]),
  ];
  return `${describe(t, entry, games, LONGEST_WORDS)}\n${how.join(' · ')}`;
}

const COLUMNS = ['time', 'member', 'game', 'server', 'port', 'queryPort', 'outcome', 'message'] as const;

/** The heading of the table that {@link fileRow} makes the rows of. */
export const fileHeading = ({ t }: Pick<Reader, 't'>): readonly string[] =>
  COLUMNS.map((name) => t(`submissions.column.${name}`));

/** An entry as a row of a table; the time is ISO 8601 in UTC. */
export function fileRow({ t }: Pick<Reader, 't'>, entry: HistoryEntry): readonly string[] {
  const { at, userName, game, server, port, queryPort, outcome, message } = entry;
  return [
    new Date(at).toISOString(),
    userName,
    game,
    server,
    String(port),
    queryPort === undefined ? '' : String(queryPort),
    t(`outcome.${outcome}`),
    serviceWords(message ?? '', t),
  ];
}

/** What became of servers that were being submitted when the bot ended; of what is not known yet nothing was sent. */
export function afterRestartText(
  reader: Pick<Reader, 't' | 'pages'>,
  done: {
    readonly servers: readonly ServerSubmission[];
    readonly outcomes: readonly (Outcome | undefined)[];
  },
): string {
  const { t } = reader;
  const { servers, outcomes } = done;
  const [server] = servers;
  if (server && servers.length === 1) {
    const [outcome] = outcomes;
    const message = outcome && 'message' in outcome ? escapeText(serviceWords(outcome.message, t)) : '';
    return t(`resume.one.${outcome?.kind ?? 'not-sent'}`, {
      message,
      ...listAbout(reader, server),
    });
  }
  const lines = (['accepted', 'rejected', 'unknown', 'not-sent'] as const).flatMap((kind) => {
    const count = servers.filter((_, index) => (outcomes[index]?.kind ?? 'not-sent') === kind).length;
    return count > 0 ? [t(`resume.many.${kind}`, { count })] : [];
  });
  return [t('resume.many.heading'), ...lines].join('\n');
}

/** The same as a text alone, for where no embed stands beside it, with what to do where the key was refused. */
export function toldAfterRestart(
  reader: Reader,
  done: Parameters<typeof afterRestartText>[1],
  games: KnownGames,
): string {
  const one = done.servers.length === 1 ? done.servers : [];
  const isForKey = done.outcomes.some((outcome) => outcome && isAboutKey(outcome));
  return [
    afterRestartText(reader, done),
    ...(isForKey ? [renewText(reader)] : []),
    ...one.map((server) => describe(reader.t, server, games)),
  ].join('\n');
}
