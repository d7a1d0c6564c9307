import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { buttonsOf } from '../../sandbox/prompt/show.ts';

/** Checks that there was any reply. */
export function answered(answer: Answer, what: string): Answer {
  assert.notEqual(answer.kind, 'lost', `there was no reply to ${what}`);
  return answer;
}

/** Returns the work's result, or `late` if the work takes longer than this many milliseconds. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | 'late'> {
  const end = new AbortController();
  const late = sleep(ms, 'late' as const, { signal: end.signal }).catch(() => 'late' as const);
  return Promise.race([work, late]).finally(() => end.abort());
}

/** Returns the labels of the buttons that users can press. */
export const labelsOf = (answer: Answer): readonly string[] =>
  answer.kind === 'message' ? buttonsOf(answer.message) : [];
