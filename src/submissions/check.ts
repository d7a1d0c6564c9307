import type { ApiKeys, KeyToUse, NoKey, UsableKey } from '../guilds/api-keys.ts';
import { type Blocks, NO_BLOCKS } from '../guilds/blocks.ts';
import { canModerate, type GuildSettings, needsApproval, type Settings } from '../guilds/settings.ts';
import type { NotSentOutcome, ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { Guard } from '../listing/guard.ts';
import { finishedRow, withRepeats } from '../server-lists/read-list.ts';
import {
  addressOf,
  gameOf,
  type InvalidRow,
  isReady,
  placeOf,
  type ReadyRow,
  type Row,
  type TypedRow,
  typedOf,
} from '../server-lists/row.ts';
import type { EarlierSubmission } from './already-submitted.ts';
import type { Choices } from './choices.ts';
import { type Draft, markOfRows, rowsToSend, withRows } from './draft.ts';
import type { Submitter } from './drafts.ts';
import type { Allowance, ReachedLimit } from './limits.ts';
import type { SubmissionStore } from './submission-store.ts';
import type { WaitingProblem } from './waiting-submissions.ts';

export interface CheckedFor extends Submitter {
  /** The moderator who is approving the submission, which therefore no longer has to wait. */
  readonly approvedBy?: Submitter['user'] | undefined;
}

export interface CheckedDraft {
  readonly kind: 'checked';
  /** Rows that the guild's rules hold back are invalid. */
  readonly draft: Draft;
  readonly choices: Choices | undefined;
  /** A limit may hold back some of these rows. */
  readonly ready: readonly ReadyRow[];
  /** Why the guild's rules hold back rows that were ready before. */
  readonly heldBack: readonly RuleProblem[];
  readonly alreadySubmitted: ReadonlyMap<Row, EarlierSubmission>;
  readonly allowance: Allowance;
  readonly needsModerator: boolean;
  readonly blocked: MemberBlocked | undefined;
  readonly settings: Settings;
  readonly key: KeyToUse;
}

interface MemberBlocked {
  readonly code: 'member-blocked';
}

type RuleProblem =
  | { readonly code: 'host-blocked'; readonly canUnblock?: true }
  | { readonly code: 'game-not-allowed'; readonly game: string }
  | { readonly code: 'waiting-already' };

export type NotSubmitted =
  | NoKey
  | MemberBlocked
  | RuleProblem
  | { readonly code: 'already-submitted'; readonly servers: readonly EarlierSubmission[] }
  /** Another submission of the guild is currently sending the same server. */
  | { readonly code: 'in-flight'; readonly server: ServerSubmission }
  | ReachedLimit
  | WaitingProblem
  /** The key is paused, the service is down, or too many of the member's requests are waiting to be sent. */
  | { readonly code: 'held-back'; readonly outcome: NotSentOutcome };

export type ProblemCode = NotSubmitted['code'] | InvalidRow['problem']['code'];

/** In order of precedence. */
const RULES: readonly string[] = [
  'host-blocked',
  'game-not-allowed',
  'waiting-already',
] satisfies RuleProblem['code'][];

export const isOfRules = ({ code }: { readonly code: string }): boolean => RULES.includes(code);

/** `changed`: the draft differs from the one that the member saw, or doesn't have a server to send. */
export type HeldReason = NotSubmitted | { readonly code: 'changed' };

interface Wanted {
  readonly by: CheckedFor;
  /** The draft as the member saw it, before the check. */
  readonly draft: Draft;
  readonly checked: CheckedDraft;
  readonly promised: number | undefined;
  readonly mark: string | undefined;
  /** `undefined` if the service rejects the key, which only matters once a moderator approves the submission. */
  readonly key: UsableKey | undefined;
  /** `count` of these rows can be submitted now. */
  readonly rows: readonly ReadyRow[];
  readonly count: number;
}

type Reason = (wanted: Wanted) => HeldReason | undefined | Promise<HeldReason | undefined>;

type Decision =
  | { readonly kind: 'held'; readonly why: HeldReason }
  | ({ readonly kind: 'submitted' } & Pick<Wanted, 'key' | 'rows' | 'count'>);

export interface CheckDeps
  extends Pick<SubmissionStore, 'alreadySubmitted' | 'choices' | 'limits' | 'waitingSubmissions'> {
  readonly settings: Pick<GuildSettings, 'getOrThrow'>;
  readonly blocks: Pick<Blocks, 'check'>;
  readonly keys: Pick<ApiKeys, 'usable'>;
  readonly games: GameIndex;
  readonly guard: Pick<Guard, 'whyHeldBack'>;
}

/** Returns the corrected values for a row, or `undefined` to leave the row unchanged. */
export type Correction = (row: Row) => TypedRow | undefined;

export type Check = ReturnType<typeof createCheck>;

/**
 * Creates the check that decides which rows of a draft can be submitted, for a preview as well as for a submission. Must be
 * used inside the guild's transaction.
 */
export function createCheck({ alreadySubmitted, choices, limits, waitingSubmissions, ...deps }: CheckDeps) {
  const { settings, blocks, keys, games, guard } = deps;

  /**
   * The reasons for holding a draft back, in order of precedence. Problems that only an admin can fix come first, followed
   * by the member's problems and problems that only need time. They follow a block of the member and a problem with the key.
   */
  const reasons: readonly Reason[] = [
    ({ draft, mark }) => (mark === undefined || mark === markOfRows(draft) ? undefined : { code: 'changed' }),
    ...RULES.map(
      (rule): Reason =>
        ({ checked }) =>
          checked.heldBack.find(({ code }) => code === rule),
    ),
    ({ checked: { draft, alreadySubmitted: before }, rows, promised = 1 }) =>
      before.size > 0 && !draft.includesAlreadySubmitted && rows.length < promised
        ? { code: 'already-submitted', servers: [...before.values()] }
        : undefined,
    ({ rows }) => (rows.length === 0 ? { code: 'changed' } : undefined),
    async ({ by, rows }) => {
      const server = await alreadySubmitted.inFlight(by.guildId, serversOf(rows));
      return server && { code: 'in-flight', server };
    },
    ({ checked: { allowance } }) => (allowance.count === 0 ? allowance.limited : undefined),
    // If a limit requires it, fewer servers than promised are submitted. The report explains the difference.
    ({ rows, count, promised = count }) =>
      count > promised || rows.length < promised ? { code: 'changed' } : undefined,
    ({ by, draft: { id }, checked, rows }) =>
      checked.needsModerator ? waitingSubmissions.whyNotWaiting({ ...by, id }, serversOf(rows)) : undefined,
    // Held back before servers are reserved, so that repeated attempts don't fill the history.
    ({ by: { guildId, user }, checked, key: used }) => {
      if (checked.needsModerator || used === undefined) return undefined;
      const outcome = guard.whyHeldBack({ guildId, memberId: user.id, key: used.key });
      return outcome && { code: 'held-back', outcome };
    },
  ];

  return {
    /** @param added choices that replace the stored ones */
    async draft(by: CheckedFor, draft: Draft, added?: Choices): Promise<CheckedDraft> {
      const { guildId, user, approvedBy } = by;
      const chosen = await settings.getOrThrow(guildId);
      // Moderators can approve earlier submissions of a blocked member or host.
      const isAsked = chosen.hasBlocks === true && approvedBy === undefined;
      const blocked = isAsked ? await blocks.check(guildId) : NO_BLOCKS;
      const needsModerator = approvedBy === undefined && needsApproval(chosen, by);
      const waiting = needsModerator
        ? await waitingSubmissions.waitingAddresses(by, draft.id)
        : new Set<string>();
      // Some rows' problems may have been resolved since the last check, by an admin, a moderator's decision or a newly
      // loaded games list.
      const read = reread(draft, (row) => (mayBeRightNow(row, games) ? typedOf(row) : undefined), games);
      const isModerator = canModerate(chosen, by);
      const allowed = chosen.games;
      /**
       * Returns why the guild's rules hold back a row, even a repeated row. A disallowed game comes before other problems,
       * because fixing those wouldn't help.
       */
      function ruleProblem(row: Row): RuleProblem | undefined {
        const server = row.kind === 'invalid' ? undefined : row.submission;
        if (server && blocked.hasHost(server.server))
          return { code: 'host-blocked', ...(isModerator && { canUnblock: true }) };
        const game = allowed && gameOfRow(row, games);
        if (game !== undefined && !allowed?.includes(game)) return { code: 'game-not-allowed', game };
        return server && waiting.has(addressOf(server)) ? { code: 'waiting-already' } : undefined;
      }
      const problems = new Map(read.rows.map((row) => [row, ruleProblem(row)]));
      const checked = withRows(
        read,
        read.rows.map((row) => {
          const problem = problems.get(row);
          return problem ? { kind: 'invalid', ...placeOf(row), problem, typed: typedOf(row) } : row;
        }),
      );
      const who = { guildId, userId: user.id };
      const before = await alreadySubmitted.find(who, checked.rows);
      const ready = rowsToSend(checked, before);
      const count = ready.length;
      const { dailyQuota } = chosen;
      const now = count === 0 ? { count } : await limits.allowance({ ...who, count, dailyQuota });
      return {
        kind: 'checked',
        draft: checked,
        choices: added ?? (draft.hasChoices ? await choices.find(draft.id) : undefined),
        ready,
        heldBack: draft.rows.filter(isReady).flatMap((row) => problems.get(row) ?? []),
        alreadySubmitted: before,
        // A submission that needs approval waits as a whole. Its servers only count towards the limits once a moderator
        // approves it.
        allowance: needsModerator && now.count > 0 ? { count } : now,
        needsModerator,
        blocked: blocked.hasMember(user.id) && !isModerator ? { code: 'member-blocked' } : undefined,
        settings: chosen,
        key: await keys.usable(guildId),
      };
    },
    /** Leaves out rows that weren't ready when the member saw the draft. */
    async decide(request: Omit<Wanted, 'key' | 'rows' | 'count'>): Promise<Decision> {
      const { draft, checked } = request;
      const { key, allowance } = checked;
      if (checked.blocked) return { kind: 'held', why: checked.blocked };
      const usable = key.kind === 'unusable' ? undefined : key;
      const problem = keyProblemOf(checked);
      if (usable === undefined && problem) return { kind: 'held', why: problem };
      const seen = new Set(draft.rows);
      const rows = checked.ready.filter((row) => seen.has(row));
      const decision = { key: usable, rows, count: Math.min(rows.length, allowance.count) };
      for (const reason of reasons) {
        const why = await reason({ ...request, ...decision });
        if (why) return { kind: 'held', why };
      }
      return { kind: 'submitted', ...decision };
    },
  };
}

/**
 * Returns the key's problem, if it matters now. A waiting submission only needs a key that the service accepts once a
 * moderator approves it.
 */
export function keyProblemOf({
  needsModerator,
  key,
}: Pick<CheckedDraft, 'needsModerator' | 'key'>): NoKey | undefined {
  return needsModerator && key.problem?.code === 'key-invalid' ? undefined : key.problem;
}

export const serversOf = (rows: readonly ReadyRow[]): readonly ServerSubmission[] =>
  rows.map(({ submission }) => submission);

export function reread(draft: Draft, corrected: Correction, games: GameIndex): Draft {
  const rows = draft.rows.map((row) => {
    const typed = corrected(row);
    return typed ? finishedRow({ ...placeOf(row), typed }, games) : row;
  });
  return withRows(draft, withRepeats(rows));
}

function mayBeRightNow(row: Row, games: GameIndex): boolean {
  if (row.kind !== 'invalid') return false;
  if (row.problem.code === 'game-unknown') return games.find(row.typed.game) !== undefined;
  return isOfRules(row.problem);
}

function gameOfRow(row: Row, games: GameIndex): string | undefined {
  if (row.kind !== 'invalid') return row.submission.game;
  return row.problem.code === 'game-unknown' ? undefined : gameOf(row.typed.game, games);
}
