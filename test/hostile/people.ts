import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { buttonsOf } from '../../sandbox/prompt/show.ts';

/** Whatever the answer is, there has to be one. */
export function answered(answer: Answer, what: string): Answer {
  assert.notEqual(answer.kind, 'lost', `there was no answer to ${what}`);
  return answer;
}

/** What comes of it, or `late` when nothing has after so many milliseconds. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | 'late'> {
  const end = new AbortController();
  const late = sleep(ms, 'late' as const, { signal: end.signal }).catch(() => 'late' as const);
  return Promise.race([work, late]).finally(() => end.abort());
}

/** The labels of the buttons that can be pressed. */
export const labelsOf = (answer: Answer): readonly string[] =>
  answer.kind === 'message' ? buttonsOf(answer.message) : [];
