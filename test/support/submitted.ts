import type { ServerSubmission } from '../../src/listing/contract.ts';
import type { ReadyRow } from '../../src/server-lists/row.ts';
import type { Draft } from '../../src/submissions/draft.ts';

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
