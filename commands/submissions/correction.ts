import { submissionsId } from '../../src/approval/approval-view.ts';
import type { PressContext, SubmitContext } from '../../src/interactions/command.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { withKnownHosts } from '../../src/server-lists/read-list.ts';
import { findOrFetchGame, readOne } from '../../src/server-lists/read-one.ts';
import {
  type ReadyRow,
  type Row,
  type RowProblem,
  rowWithoutPasswords,
  type TypedRow,
  typedOf,
  withPortApart,
} from '../../src/server-lists/row.ts';
import { rowForServer, type Submission } from '../../src/submissions/submission.ts';
import type { SeenApproval } from '../../src/submissions/waiting-submissions.ts';
import { submissionUnchangedText } from '../../src/words/problem.ts';
import { withSign } from '../../src/words/servers.ts';
import type { CommandDeps } from '../deps.ts';
import { fieldsOf } from '../submit/enter-fields.ts';
import { gamesNear } from '../submit/problem.ts';
import { problemLines } from '../submit/problem-text.ts';
import { type RefusedForm, typedBefore, typedEmbeds } from './typed-form.ts';

/**
 * @param before the rows of the waiting submission
 * @throws UserError with the reason if the server can't be submitted
 */
export async function readCorrection(
  context: SubmitContext,
  before: readonly Row[],
  deps: CommandDeps,
): Promise<ReadyRow> {
  const typed = fieldsOf(context);
  await findOrFetchGame(typed.game, deps.games, context.guildId);
  const read = readOne(typed, [], deps.games);
  const [row = read] = withKnownHosts([read], before, deps.games);
  if (row.kind === 'invalid') throw await notCorrected(context, row, row.problem, deps);
  const { game } = row.submission;
  const { games } = await deps.settings.getOrThrow(context.guildId);
  if (games?.includes(game) === false) {
    throw await notCorrected(context, row, { code: 'game-not-allowed', game }, deps);
  }
  return row;
}

export async function notCorrected(
  context: SubmitContext,
  row: Row,
  problem: RowProblem,
  deps: CommandDeps,
): Promise<UserError> {
  const invalid = { kind: 'invalid', line: row.line, typed: typedOf(row), problem } as const;
  const near = (await gamesNear(context, invalid, deps)) ?? [];
  const lines = problemLines(
    context,
    invalid,
    { near, isListKnown: deps.games.isFresh() },
    submissionUnchangedText,
  );
  return new UserError([...lines, context.t('approval.still')].join('\n'));
}

/**
 * Keeps a moderator's input for a correction that isn't possible.
 * @param seen the version that the moderator saw, if it isn't the current one
 * @param current the current version. Fields that the moderator left unchanged get its values
 */
export function refusedCorrection(
  context: SubmitContext,
  { id, submissionId }: SeenApproval,
  seen?: Submission,
  current?: Submission,
): RefusedForm {
  const { t } = context;
  const typed = rowWithoutPasswords(fieldsOf(context));
  const before = fieldsIn(seen);
  const after = fieldsIn(current);
  const { game, server, port, queryPort } = before && after ? withLaterChanges(typed, before, after) : typed;
  return {
    buttonId: submissionsId('correct', `${id}:${submissionId}`),
    buttonLabel: t('approval.correct'),
    typed: typedEmbeds({
      [t('addserver.field.game')]: game,
      [t('addserver.field.server')]: server,
      [t('addserver.field.port')]: port,
      [t('addserver.field.query_port')]: queryPort,
    }),
    noEffect: withSign('not-sent', t('approval.noEffect.correct')),
  };
}

function fieldsIn(submission: Submission | undefined): TypedRow | undefined {
  const [only] = submission?.servers ?? [];
  return only && withPortApart(typedOf(rowForServer(only)));
}

function withLaterChanges(typed: TypedRow, before: TypedRow, after: TypedRow): TypedRow {
  const now = (field: keyof TypedRow) => (typed[field] === before[field] ? after[field] : typed[field]);
  return { game: now('game'), server: now('server'), port: now('port'), queryPort: now('queryPort') };
}

export function correctionBefore(context: PressContext): TypedRow | undefined {
  const { t } = context;
  const typed = {
    game: typedBefore(context, t('addserver.field.game')),
    server: typedBefore(context, t('addserver.field.server')),
    port: typedBefore(context, t('addserver.field.port')),
    queryPort: typedBefore(context, t('addserver.field.query_port')),
  };
  return Object.values(typed).some((value) => value !== '') ? typed : undefined;
}
