import type { Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import type { Database } from '../../src/storage/database.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import { createRecords, type Submitter } from '../../src/submissions/record.ts';

let count = 0;

/** Puts a submission of one server that has ended into a store. */
export async function submitted(
  database: Database,
  by: Submitter,
  done: {
    readonly submission: ServerSubmission;
    /** Milliseconds since 1970. */
    readonly at: number;
    readonly outcome?: Outcome;
  },
): Promise<void> {
  const { submission, at, outcome = { kind: 'accepted', message: 'Yes.' } } = done;
  const records = createRecords({ database, now: () => at });
  count += 1;
  const id = `submitted-${count}`;
  await records.saveDraft(by, id, {
    source: 'options',
    rows: [{ line: 1, text: '', ok: true, submission }],
    previous: [],
    includesPrevious: false,
  });
  await records.begin(id, id, [0]);
  await records.leave(id, [0]);
  await records.end(id, [0], outcome);
  await records.finish(id);
}

/** A list of so many servers that are all ready, at addresses of its own. */
export const readyDraft = (name: string, length: number): Draft => ({
  source: 'text',
  rows: Array.from({ length }, (_, i) => {
    const submission: ServerSubmission = { server: `${name}-${i}.example.com`, port: 1, game: 'cs2' };
    return { line: i + 1, text: submission.server, ok: true, submission };
  }),
  previous: [],
  includesPrevious: false,
});
