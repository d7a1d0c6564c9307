import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Database } from '../storage/database.ts';
import { INTERRUPTED, outcomeToStore } from './outcome.ts';
import { DRAFT_LIVES_MS } from './record.ts';

/** What still runs after this time has no interaction any more that could carry it out, in milliseconds. */
const LONGEST_RUN_MS = 20 * 60_000;
/** How often it is looked for. */
const EVERY_MS = 600_000;

/**
 * Ends what nobody ends any more. At the start: of what had left in a former run nobody knows how it ended. Then and
 * every 10 minutes: submissions that nobody carries on, drafts past their time, and what was typed for both.
 */
export function createTidying(deps: {
  readonly database: Pick<Database, 'tables'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now?: () => number;
}): Part {
  const { database, logger, now = Date.now } = deps;
  const { tables } = database;
  let timer: NodeJS.Timeout | undefined;
  const servers = () => tables.updateTable('servers').where('outcome', 'is', null);
  const unknown = () => ({ ...outcomeToStore(INTERRUPTED), ended_at: now() });

  async function endStuck(): Promise<void> {
    const at = now();
    const stuck = tables
      .selectFrom('submissions')
      .select('id')
      .where('state', '=', 'running')
      .where('started_at', '<=', at - LONGEST_RUN_MS);
    await servers()
      .set(unknown())
      .where('sent_at', 'is not', null)
      .where('submission_id', 'in', stuck)
      .execute();
    await servers()
      .set({ ...outcomeToStore({ kind: 'not-sent', reason: 'bot' }), ended_at: at, reserved_at: null })
      .where('reserved_at', 'is not', null)
      .where('submission_id', 'in', stuck)
      .execute();
    await tables
      .updateTable('submissions')
      .set({ state: 'done', ended_at: at })
      .where('state', '=', 'running')
      .where('started_at', '<=', at - LONGEST_RUN_MS)
      .execute();
  }

  async function dropOld(): Promise<void> {
    const before = now() - DRAFT_LIVES_MS;
    const drafts = tables
      .selectFrom('submissions')
      .select('id')
      .where('state', '=', 'draft')
      .where('created_at', '<=', before);
    await tables.deleteFrom('servers').where('submission_id', 'in', drafts).execute();
    await tables
      .deleteFrom('submissions')
      .where('state', '=', 'draft')
      .where('created_at', '<=', before)
      .execute();
    for (const lines of ['refused_lines', 'repeated_lines'] as const) {
      await tables
        .updateTable('submissions')
        .set({ [lines]: null })
        .where(lines, 'is not', null)
        .where('ended_at', '<=', before)
        .execute();
    }
  }

  async function tidy(): Promise<void> {
    await endStuck();
    await dropOld();
  }

  return {
    name: 'submissions',
    async start() {
      const running = tables.selectFrom('submissions').select('id').where('state', '=', 'running');
      const left = servers().where('sent_at', 'is not', null).where('submission_id', 'in', running);
      await left.set(unknown()).execute();
      await tidy();
      timer = setInterval(() => {
        tidy().catch((error: unknown) => logger.warn({ err: error }, 'old submissions could not be ended'));
      }, EVERY_MS).unref();
    },
    async stop() {
      clearInterval(timer);
    },
  };
}
