import { formatAddress } from '../src/addresses/address.ts';
import type { Context, Reply } from '../src/discord/command.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import type { GameReading } from '../src/server-lists/row.ts';
import { type Draft, isReady } from '../src/submissions/draft.ts';
import type { History } from '../src/submissions/history.ts';
import type { Records } from '../src/submissions/record.ts';
import { UserError } from '../src/user-error.ts';
import { previewOf } from './batch-preview.ts';
import type { GuildKeys } from './guild-key.ts';

/** The most bytes of a file with servers. */
export const MOST_FILE_BYTES = 256 * 1024;

export interface DraftDeps {
  readonly records: Pick<Records, 'saveDraft' | 'changeDraft' | 'findDraft' | 'dropDraft'>;
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'find' | 'refresh' | 'refreshSoon' | 'invalidate'>;
  readonly keys: GuildKeys;
  readonly history: Pick<History, 'find'>;
}

/** How the games in a list are understood: as the catalog knows them, each text looked up once. */
export function gameReading(games: Pick<GameCatalog, 'find'>, defaultGame?: string): GameReading {
  const known = new Map<string, string | undefined>();
  return {
    ...(defaultGame !== undefined && { defaultGame }),
    findGame(text) {
      if (!known.has(text)) known.set(text, games.find(text)?.alias);
      return known.get(text);
    },
  };
}

/** Keeps a new draft under the interaction, and shows what it would submit. */
export async function openDraft(
  context: Context,
  { note, ...draft }: Pick<Draft, 'source' | 'rows'> & { readonly note?: string | undefined },
  deps: DraftDeps,
): Promise<Reply> {
  const options = {
    id: context.interactionId,
    draft: { ...draft, former: [], includesFormer: false },
    isNew: true,
  };
  return showDraft(context, { ...options, ...(note !== undefined && { note }) }, deps);
}

/**
 * Keeps a draft whose rows have changed, and shows what it would submit now.
 * @throws UserError when it was submitted or cancelled meanwhile
 */
export async function showDraft(
  context: Context,
  { id, draft, note, games, isNew = false }: ShowOptions,
  deps: DraftDeps,
): Promise<Reply> {
  const former = await formerOf(context, draft, deps.history);
  const shown = { ...draft, former };
  if (isNew) await deps.records.saveDraft(context, id, shown);
  else if (!(await deps.records.changeDraft(context, id, shown))) throw new UserError(context.t('bulk.gone'));
  return previewOf(context, {
    id,
    draft: shown,
    games: games ?? deps.games.list().games,
    mostBytes: MOST_FILE_BYTES,
    ...(note !== undefined && { note }),
  });
}

export interface ShowOptions {
  readonly id: string;
  readonly draft: Draft;
  readonly note?: string;
  /** The games to choose from, where they are not all. */
  readonly games?: readonly Game[];
  /** It is not kept yet. */
  readonly isNew?: boolean;
}

async function formerOf(
  { guildId }: Context,
  { rows }: Draft,
  history: Pick<History, 'find'>,
): Promise<Draft['former']> {
  const addresses = rows.filter(isReady).map(({ submission: { server: host, port } }) => ({ host, port }));
  const found = await history.find(guildId, addresses);
  return rows.flatMap((row, place) => {
    if (!row.ok) return [];
    const { server: host, port } = row.submission;
    const entry = found.get(formatAddress({ host, port }));
    if (!entry) return [];
    const { at, userName } = entry;
    return [
      { row: place, at, userName, outcome: entry.outcome === 'accepted' ? 'accepted' : 'unknown' } as const,
    ];
  });
}

/**
 * The member's draft that a button or a modal belongs to.
 * @throws UserError when it is over, submitted, or another member's
 */
export async function draftOf(
  context: Context & { readonly argument: string },
  { records }: Pick<DraftDeps, 'records'>,
): Promise<Draft> {
  const found = await records.findDraft(context, context.argument);
  if (found === 'gone') throw new UserError(context.t('bulk.gone'));
  if (found === 'of-another-member') throw new UserError(context.t('bulk.notYours'));
  return found.draft;
}
