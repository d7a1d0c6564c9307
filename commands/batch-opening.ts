import type { Call, Reply } from '../src/discord/command.ts';
import type { Game } from '../src/listing/contract.ts';
import type { GameCatalog } from '../src/listing/game-catalog.ts';
import { formatAddress } from '../src/submissions/address.ts';
import { isReady } from '../src/submissions/batch-rows.ts';
import type { BatchRuns, Run } from '../src/submissions/batch-runs.ts';
import type { Batch, Batches } from '../src/submissions/batches.ts';
import type { Ledger } from '../src/submissions/ledger.ts';
import type { GameReading } from '../src/submissions/row.ts';
import { UserError } from '../src/user-error.ts';
import { previewOf } from './batch-preview.ts';
import type { GuildKeys } from './guild-key.ts';

/** The most bytes of a file with servers. */
export const MOST_FILE_BYTES = 256 * 1024;

export interface BatchDeps {
  readonly batches: Batches;
  readonly runs: BatchRuns;
  readonly games: Pick<GameCatalog, 'list' | 'search' | 'find' | 'refresh' | 'refreshSoon' | 'invalidate'>;
  readonly keys: GuildKeys;
  readonly ledger: Pick<Ledger, 'find'>;
}

export const ownerOf = ({ guildId, user }: Call) => ({ guildId, userId: user.id });

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

/** Keeps a new batch under the interaction, and shows what it would submit. */
export async function openBatch(
  call: Call,
  { note, ...batch }: Pick<Batch, 'source' | 'rows'> & { readonly note?: string | undefined },
  deps: BatchDeps,
): Promise<Reply> {
  const options = { id: call.interactionId, batch: { ...batch, former: [], includesFormer: false } };
  return showBatch(call, { ...options, ...(note !== undefined && { note }) }, deps);
}

/** Keeps a batch whose rows have changed, and shows what it would submit now. */
export async function showBatch(
  call: Call,
  { id, batch, note, games }: ShowOptions,
  deps: BatchDeps,
): Promise<Reply> {
  const former = await formerOf(call, batch, deps.ledger);
  const shown = { ...batch, former };
  await deps.batches.keep(ownerOf(call), id, shown);
  return previewOf(call, {
    id,
    batch: shown,
    games: games ?? deps.games.list().games,
    mostBytes: MOST_FILE_BYTES,
    ...(note !== undefined && { note }),
  });
}

export interface ShowOptions {
  readonly id: string;
  readonly batch: Batch;
  readonly note?: string;
  /** The games to choose from, where they are not all. */
  readonly games?: readonly Game[];
}

async function formerOf(
  { guildId }: Call,
  { rows }: Batch,
  ledger: Pick<Ledger, 'find'>,
): Promise<Batch['former']> {
  const found = await ledger.find(
    guildId,
    rows.filter(isReady).map(({ submission }) => submission),
  );
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
 * The member's batch that a button or a modal belongs to, and the right to change or submit it; `abandon` gives that
 * back.
 * @throws UserError when it is over, submitted, or another member's
 */
export async function claimBatch(
  call: Call & { readonly argument: string },
  { batches, runs }: Pick<BatchDeps, 'batches' | 'runs'>,
): Promise<{ readonly batch: Batch; readonly run: Run }> {
  const { t, guildId, interactionId, argument: id } = call;
  const kept = await batches.find(ownerOf(call), id);
  if (kept.kind !== 'batch') throw new UserError(t(kept.kind === 'gone' ? 'bulk.gone' : 'bulk.notYours'));
  const run = await runs.begin({ guildId, id }, interactionId);
  if (!run) throw new UserError(t('bulk.gone'));
  return { batch: kept.batch, run };
}

/** Does something with the member's batch that leaves it to be submitted. */
export async function withBatch(
  call: Call & { readonly argument: string },
  deps: Pick<BatchDeps, 'batches' | 'runs'>,
  change: (batch: Batch) => Promise<Reply>,
): Promise<Reply> {
  const { batch, run } = await claimBatch(call, deps);
  try {
    return await change(batch);
  } finally {
    run.abandon();
  }
}
