import { randomUUID } from 'node:crypto';
import { formatAddress } from '../../addresses/address.ts';
import type { ServerSubmission } from '../../listing/contract.ts';
import type { ServersTable, SubmissionsTable } from '../../storage/tables.ts';
import { type Draft, draftToStore } from '../draft.ts';
import { DRAFT_LIVES_MS } from '../record.ts';
import type { Batch, Entry, JournalEntry, PreviousOffer, PreviousRun, User } from './shapes.ts';

/**
 * The history of a guild, without what is a part of submissions that go on. It gives out an entry once: a server of a
 * running submission and its entry in the history were two records, and are one now.
 */
export interface PastEntries {
  /** The entry of a server that was sent after a moment. */
  take(server: ServerSubmission, userId: string | undefined, since: number): Entry | undefined;
  readonly left: readonly Entry[];
}

const addressOf = ({ server: host, port }: ServerSubmission) => formatAddress({ host, port });

export function pastEntries(entries: readonly Entry[]): PastEntries {
  const left = new Set(entries);
  const byAddress = Map.groupBy(entries, addressOf);
  return {
    take(server, userId, since) {
      const entry = byAddress
        .get(addressOf(server))
        ?.find((one) => left.has(one) && one.at >= since && (userId ?? one.userId) === one.userId);
      if (entry) left.delete(entry);
      return entry;
    },
    get left() {
      return [...left];
    },
  };
}

/** A submission as it goes into the tables. */
export interface Moved {
  readonly submission: SubmissionsTable;
  readonly servers: readonly ServersTable[];
}

type Ended = Pick<ServersTable, 'outcome' | 'message' | 'reason'>;
const NOT_ENDED: Ended = { outcome: null, message: null, reason: null };

/** The requests of the history: servers that ended in the same moment, by the same member. */
export function historyRows(guildId: string, entries: readonly Entry[]): readonly Moved[] {
  const requests = Map.groupBy(entries, ({ at, userId }) => `${at} ${userId}`);
  return [...requests.values()].map((request): Moved => {
    // The first of a request was the last one in the record.
    const servers = request.toReversed();
    const { at = 0, userId, userName } = servers[0] ?? {};
    const user = userId === undefined || userId === '' ? undefined : { id: userId, name: userName ?? '' };
    const base = { id: randomUUID(), guildId, user, createdAt: at };
    return {
      submission: {
        ...submissionRow(base),
        state: 'done',
        source: servers.length === 1 ? 'options' : 'text',
        ended_at: at,
      },
      servers: servers.map((entry, position) => ({
        ...serverRow(base, entry, position),
        ...timesOf(entry.outcome, at),
        ended_at: at,
        outcome: entry.outcome,
        message: entry.message ?? null,
      })),
    };
  });
}

interface Base {
  readonly id: string;
  readonly guildId: string;
  readonly user: User | { readonly id: string; readonly name: null } | undefined;
  readonly createdAt: number;
}

function submissionRow({ id, guildId, user, createdAt }: Base): SubmissionsTable {
  return {
    ...{ id, guild_id: guildId, user_id: user?.id ?? null, user_name: user?.name ?? null, state: 'draft' },
    ...{ source: 'options', again: 0, refused_lines: null, repeated_lines: null },
    ...{ interaction_id: null, created_at: createdAt, started_at: null, ended_at: null },
  };
}

function serverRow(
  { id, guildId, user }: Base,
  { server: host, port, queryPort, game }: ServerSubmission,
  position: number,
): ServersTable {
  return {
    ...{ submission_id: id, position, guild_id: guildId, user_id: user?.id ?? null, user_hash: null },
    ...{ line: position + 1, host, port, query_port: queryPort ?? null, game, submitted_before: 0 },
    ...{ address: formatAddress({ host, port }), reserved_at: null, sent_at: null, ended_at: null },
    ...NOT_ENDED,
  };
}

/** What was not sent counts for no limit. */
const timesOf = (outcome: ServersTable['outcome'], at: number) =>
  outcome === 'not-sent' ? { reserved_at: null, sent_at: null } : { reserved_at: at, sent_at: at };

/** A list, or one server, that waits for a button. */
export function draftRows(base: Base, draft: Draft): Moved {
  const { lines, servers } = draftToStore(draft);
  const empty = { ...serverRow(base, NOTHING, 0), ...NOT_ENDED };
  return {
    submission: { ...submissionRow(base), ...lines },
    servers: servers.map((server) => ({ ...empty, ...server })),
  };
}

const NOTHING: ServerSubmission = { server: '', port: 0, game: '' };

export const draftOfOffer = ({ submission, again }: PreviousOffer): Draft => ({
  source: 'options',
  rows: [{ line: 1, text: '', ok: true, submission }],
  previous: [],
  includesPrevious: again,
});

/** When a record that ends then was begun. */
export const begunAt = ({ until }: Pick<Batch | PreviousOffer, 'until'>): number => until - DRAFT_LIVES_MS;

/** What was submitted, and whose servers are in the history: only that it cannot be submitted again. */
export function overRows(base: Base, by: string): Moved {
  const at = base.createdAt;
  const submission = { ...submissionRow(base), interaction_id: by, started_at: at, ended_at: at };
  return { submission: { ...submission, state: 'done' }, servers: [] };
}

/** A list that was being submitted. Of what had left without an answer nobody knows how it ended. */
export function runningRows(
  base: Base,
  draft: Draft,
  { run, past }: { run: PreviousRun; past: PastEntries },
): Moved {
  const { submission, servers } = draftRows(base, draft);
  const chosen = servers.filter(
    ({ game, submitted_before }) => game !== '' && (draft.includesPrevious || submitted_before === 0),
  );
  const sending = new Set(run.sending);
  const known = new Map(
    run.outcomes.flatMap(({ outcome, indices }) => indices.map((index) => [index, outcome] as const)),
  );
  const indices = new Map(chosen.map(({ position }, index) => [position, index]));
  return {
    submission: {
      ...submission,
      state: 'running',
      interaction_id: run.by,
      started_at: run.startedAt,
    },
    servers: servers.map((server): ServersTable => {
      const index = indices.get(server.position);
      if (index === undefined) return server;
      const outcome = known.get(index);
      const wasSent = outcome !== undefined || sending.has(index);
      const submitted = { server: server.host, port: server.port, game: server.game };
      const entry = wasSent ? past.take(submitted, base.user?.id, run.startedAt) : undefined;
      if (!wasSent) return { ...server, reserved_at: run.startedAt };
      if (outcome === undefined && !entry) return { ...server, ...timesOf(null, run.startedAt) };
      const end = outcome ? endOf(outcome) : entryEnd(entry);
      return {
        ...server,
        ...timesOf(end.outcome, run.startedAt),
        ended_at: entry?.at ?? run.startedAt,
        ...end,
      };
    }),
  };
}

function endOf(outcome: PreviousRun['outcomes'][number]['outcome']): Ended {
  if ('message' in outcome) return { outcome: outcome.kind, message: outcome.message, reason: null };
  const { kind, why } = outcome;
  const stored = typeof why === 'string' ? { reason: why } : why;
  return { outcome: kind, message: null, reason: stored === undefined ? null : JSON.stringify(stored) };
}

const entryEnd = (entry: Pick<Entry, 'outcome' | 'message'> | undefined): Ended =>
  entry ? { outcome: entry.outcome, message: entry.message ?? null, reason: null } : NOT_ENDED;

/** What one interaction has sent, where nothing else is kept of it. */
export function sentRows(base: Base, { journal, past }: { journal: JournalEntry; past: PastEntries }): Moved {
  const { at, interactionId, sent } = journal;
  // The last request with a server counts: one that was refused as a whole was followed by smaller ones.
  const requests = new Map(
    sent.flatMap((request) =>
      request.servers.map((server) => [addressOf(server), { server, request }] as const),
    ),
  );
  const servers = [...requests.values()].map(({ server, request }, position): ServersTable => {
    const entry = past.take(server, base.user?.id, at);
    const { outcome, message } = request;
    const end = outcome ? entryEnd({ outcome, ...(message !== undefined && { message }) }) : entryEnd(entry);
    const endedAt = end.outcome === null ? null : (entry?.at ?? at);
    return { ...serverRow(base, server, position), ...timesOf(end.outcome, at), ended_at: endedAt, ...end };
  });
  const source = servers.length === 1 ? 'options' : 'text';
  return {
    submission: {
      ...submissionRow(base),
      state: 'running',
      source,
      interaction_id: interactionId,
      started_at: at,
    },
    servers,
  };
}
