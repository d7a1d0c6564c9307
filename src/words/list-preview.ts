import { formatAddress } from '../addresses/address.ts';
import { MAX_SERVERS_PER_REQUEST, type ServerSubmission } from '../listing/contract.ts';
import type { Held } from '../submissions/checks.ts';
import {
  asksForGame,
  type Draft,
  isRefusedRow,
  isRepeated,
  lacksGame,
  type PreviousRow,
  type ReadyRow,
  rowsToSend,
} from '../submissions/draft.ts';
import type { Prepared } from '../submissions/list-drafts.ts';
import {
  type ExplainedRow,
  explained,
  explainedRows,
  filesOfRefused,
  type GuessedGames,
  type ListFile,
  previewFile,
  reasonsOf,
} from './list-files.ts';
import {
  addressItem,
  addressLine,
  fewRanges,
  groupItem,
  groupsOf,
  type ListedGames,
  serverItem,
} from './list-lines.ts';
import { gameNamed, type KnownGames, type ServerEmbed, serverEmbed, serverLine } from './outcome.ts';
import { escapeText, type Reader, shorten, shortenMarkup, type Translate } from './words.ts';

/** How many of each kind are named in the message; the files name them all. */
const SHOWN = { servers: 10, groups: 10, found: 10 };
/** UTF-16 units of a part of the message. */
const MOST = { notice: 700, numbers: 36, user: 16 };
/** UTF-16 units of the items that say what is refused, and items of what was submitted before: as much as fits. */
const TRIES = [
  { items: 900, previous: 4 },
  { items: 600, previous: 2 },
  { items: 250, previous: 1 },
  { items: 130, previous: 0 },
];
/** UTF-16 units of a message (Discord docs: Message resource). */
const MOST_TEXT = 2000;

/** A list as a message shows it: what there is to say of it, its servers, and the files with all of its lines. */
export interface ListPage {
  readonly content: string;
  readonly embeds: readonly ServerEmbed[];
  readonly files: readonly ListFile[];
  /** Files of the message that it changes stay whose names begin so. */
  readonly keepsFiles?: string;
}

/**
 * What would be submitted, what would not and why.
 * @param notice something to say first
 */
export function previewOf(
  reader: Reader,
  prepared: Prepared,
  games: ListedGames & GuessedGames,
  notice = '',
): ListPage {
  const { draft } = prepared;
  const { t } = reader;
  const [ready, waiting] = inAndOut(prepared);
  const refused = explainedRows(
    { rows: draft.rows.filter((row) => !lacksGame(row)) },
    reasonsOf(reader, games),
  );
  const held = heldRows(t, waiting, prepared.room.held);
  const { files, names, ...kept } = filesOfRefused([...refused, ...held], draft);
  const isAsking = asksForGame(draft);
  const text = (most: (typeof TRIES)[number]) =>
    [
      shortenMarkup(notice, MOST.notice),
      isAsking ? foundText(t, draft) : readyText(t, prepared),
      refusedText(reader, prepared, { games, files: isAsking ? '' : names, most: most.items }),
      ...(isAsking
        ? []
        : [missingText(t, draft), repeatedText(t, draft), previousText(t, draft, most.previous)]),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  const texts = TRIES.map((most) => () => text(most));
  const content = texts.reduce((said, next) => (said !== '' && said.length <= MOST_TEXT ? said : next()), '');
  if (isAsking || ready.length === 0) return { content, embeds: [], files: isAsking ? [] : files, ...kept };
  return {
    content,
    embeds: [
      serversEmbed(
        t,
        'not-sent',
        ready.map(({ submission }) => submission),
        games,
      ),
    ],
    files: [previewFile(ready), ...files],
    ...kept,
  };
}

/** The first servers of a list in the one embed, none of its lines wider than a phone. */
export function serversEmbed(
  t: Translate,
  kind: Parameters<typeof serverEmbed>[1],
  servers: readonly ServerSubmission[],
  games: KnownGames,
): ServerEmbed {
  const lines = servers.map(({ game, server: host, port }, index) =>
    index < SHOWN.servers ? serverOf(t, { game, address: formatAddress({ host, port }) }, games) : '',
  );
  return serverEmbed(t, kind, lines, SHOWN.servers);
}

const serverOf = (t: Translate, { game, address }: Record<'game' | 'address', string>, games: KnownGames) =>
  serverLine(t, serverItem(gameNamed(game, games).name, address));

/** The rows that go when the draft is submitted now, and those that a limit holds up. */
function inAndOut({
  draft,
  room,
}: Pick<Prepared, 'draft' | 'room'>): [readonly ReadyRow[], readonly ReadyRow[]] {
  const rows = rowsToSend(draft);
  return [rows.slice(0, room.count), rows.slice(room.count)];
}

/** Rows that a limit holds up, with that for a reason. */
export function heldRows(
  t: Translate,
  rows: readonly ReadyRow[],
  held: Held | undefined,
): readonly ExplainedRow[] {
  const at = held && new Date(held.until).toISOString().slice(0, 16).replace('T', ' ');
  const reason = held ? t(`list.held.${held.by}`, { at }) : t('list.held.unknown');
  return rows.map((row) => explained(row, reason));
}

function readyText(t: Translate, prepared: Prepared): string {
  const { room } = prepared;
  const all = rowsToSend(prepared.draft).length;
  if (all === 0) return t('list.preview.nothing');
  const listed = t('list.preview.all');
  if (room.held) {
    const text = roomText(t, all, { count: room.count, held: room.held });
    if (room.count === 0) return `${text} ${t('list.preview.keepFile')}`;
    return `${text} ${t('list.preview.sendsFirst', { count: room.count })} ${listed}`;
  }
  const requests = t('list.preview.requests', { count: Math.ceil(all / MAX_SERVERS_PER_REQUEST) });
  return `${t('list.preview.ready', { count: all })} ${requests} ${listed}`;
}

/** How many may go by the quota of the day or the limits, and when the others may. */
function roomText(
  t: Translate,
  all: number,
  { count, held }: { readonly count: number; readonly held: Held },
): string {
  const kind = held.by === 'daily-quota' ? 'today' : 'now';
  const rest = Math.min(all - count, held.limit);
  const values = { count, all, rest, seconds: Math.ceil(held.until / 1000) };
  return rest < all - count ? t(`list.preview.${kind}Next`, values) : t(`list.preview.${kind}`, values);
}

function foundText(t: Translate, { rows }: Draft): string {
  const lacking = rows.filter(lacksGame);
  const items = lacking.slice(0, SHOWN.found).map(({ text }) => addressLine(text));
  const rest = lacking.length - items.length;
  return [
    t('list.preview.found', { count: lacking.length }),
    ...items,
    ...(rest > 0 ? [t('list.preview.moreServers', { count: rest })] : []),
  ].join('\n');
}

/** What is wrong, in groups of lines of which the same is; what only lacks a game is not among it. */
function refusedText(
  reader: Reader,
  { draft, edits }: Pick<Prepared, 'draft' | 'edits'>,
  { games, files, most }: { readonly games: ListedGames; readonly files: string; readonly most: number },
): string {
  const { t, mention } = reader;
  const rows = draft.rows.filter(isRefusedRow).filter((row) => !lacksGame(row));
  if (rows.length === 0) return '';
  const count = rows.length;
  const isText = draft.source === 'text';
  const heading = isText
    ? t('list.preview.refusedLines', { count })
    : t('list.preview.refusedAddresses', { count });
  const each: readonly (() => readonly [item: string, lines: number])[] = isText
    ? groupsOf(rows).map((group) => () => [groupItem(t, group, games), group.lines.length])
    : rows.map((row) => () => [addressItem(t, row, games), 1]);
  const items: string[] = [];
  let [named, units] = [0, 0];
  for (const make of each.slice(0, SHOWN.groups)) {
    const [item, lines] = make();
    units += item.length + 1;
    if (units > most) break;
    items.push(item);
    named += lines;
  }
  const next =
    edits.refused === count
      ? t('list.preview.correct', { files })
      : t('list.preview.correctPart', { count: edits.refused, files, addservers: mention('addservers') });
  const rest = count - named;
  const more = isText
    ? t('list.preview.moreLines', { count: rest })
    : t('list.preview.moreServers', { count: rest });
  return [heading, ...items, ...(rest > 0 ? [more] : []), ...(files === '' ? [] : [next])].join('\n');
}

function missingText(t: Translate, { source, rows }: Draft): string {
  const lines = source === 'text' ? rows.filter(lacksGame).map(({ line }) => line) : [];
  return lines.length === 0 ? '' : t('list.preview.gameMissing', numbersOf(t, lines));
}

function repeatedText(t: Translate, { rows }: Draft): string {
  const lines = rows.filter(isRepeated).map(({ line }) => line);
  return lines.length === 0 ? '' : t('list.preview.repeated', numbersOf(t, lines));
}

const numbersOf = (t: Translate, lines: readonly number[]) => ({
  count: lines.length,
  numbers: someLines(t, lines),
});

/** The numbers of lines, as many as a phone shows in one line. */
export const someLines = (t: Translate, lines: readonly number[]): string =>
  fewRanges(lines, MOST.numbers, (numbers, count) => t('list.moreNumbers', { numbers, count }));

function previousText(t: Translate, { rows, previous, includesPrevious }: Draft, most: number): string {
  const count = previous.length;
  if (count === 0) return '';
  const heading = includesPrevious
    ? t('list.preview.previousIncluded', { count })
    : t('list.preview.previous', { count });
  const items = previous.slice(0, most).flatMap((each) => {
    const row = rows[each.row];
    return row?.ok ? [previousItem(t, each, row)] : [];
  });
  const rest = count - items.length;
  return [heading, ...items, ...(rest > 0 ? [t('list.preview.moreServers', { count: rest })] : [])].join(
    '\n',
  );
}

function previousItem(
  t: Translate,
  { at, userName, isYours, outcome }: PreviousRow,
  { submission }: ReadyRow,
): string {
  const { server: host, port } = submission;
  const other = userName === '' ? t('list.preview.someone') : escapeText(shorten(userName, MOST.user));
  const user = isYours ? t('list.preview.you') : other;
  const said = t(`list.preview.previousLine.${outcome}`, { seconds: Math.floor(at / 1000), user });
  return `${addressLine(formatAddress({ host, port }))}\n  ${said}`;
}
