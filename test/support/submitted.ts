import type { ServerSubmission } from '../../src/listing/contract.ts';
import type { ReadyRow } from '../../src/server-lists/row.ts';
import type { Store } from '../../src/storage/store.ts';
import type { ServersTable } from '../../src/storage/tables.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import type { Submitter } from '../../src/submissions/drafts.ts';
import { addDone } from './submissions.ts';

let count = 0;

/** Puts a submission of one server that has ended into a store. */
export async function submitted(
  store: Pick<Store, 'tables'>,
  { guildId, user }: Submitter,
  done: {
    readonly submission: ServerSubmission;
    /** Milliseconds since 1970. */
    readonly at: number;
    readonly outcome?: ServersTable['outcome'];
  },
): Promise<void> {
  const { submission, at, outcome = 'accepted' } = done;
  const { server, port, game } = submission;
  count += 1;
  await addDone(store, {
    id: `submitted-${count}`,
    guildId,
    userId: user.id,
    userName: user.name,
    at,
    hosts: [server],
    port,
    game,
    outcome,
  });
}

/** A row of a list that can be submitted. */
export function readyRow(line: number, server: string, more: Partial<ServerSubmission> = {}): ReadyRow {
  const submission = { server, port: 27015, game: 'cs2', ...more };
  return { kind: 'ready', line, submission };
}

/** A list of so many servers that are all ready, at addresses of its own. */
export const readyDraft = (name: string, length: number): Draft => ({
  source: 'text',
  rows: Array.from({ length }, (_, n) => readyRow(n + 1, `${name}-${n}.example.com`)),
  includesDuplicates: false,
});
