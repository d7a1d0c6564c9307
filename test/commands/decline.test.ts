import { describe, expect, it } from 'vitest';
import { readDecline } from '../../commands/submissions/decline.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import { anyContext } from './context.ts';

/** A list in which three servers are on line 1, two of them with the same place, as version 0.4.0 stored them. */
const SUBMISSION = {
  id: 'cb9a3b6d-8a3b-4f6e-9f0c-0d7f6a1e2b3c',
  draftId: '1',
  servers: [{ line: 1 }, { line: 1 }, { line: 1, part: 3 }, { line: 2 }].map((place, index) => ({
    ...place,
    server: { server: `s${index}.example.com`, port: 27015, game: 'cs2' },
    outcome: undefined,
  })),
} as unknown as Submission;

/** Lines of the same list that moderators have already decided on. */
const DECIDED = [{ line: 3 }, { line: 5 }, { line: 6 }, { line: 7 }];

const readFields = (fields: Readonly<Record<string, string>>, isRequired = false) =>
  readDecline(anyContext({ field: (name) => fields[name] ?? '' }), SUBMISSION, isRequired, DECIDED);

const read = (lines: string) => readFields({ lines });

it('the bot asks which server an ambiguous line number refers to', () => {
  const { why } = Object(read('2, 1'));
  expect(why).toContain('`1` could be any of these');
  for (const line of ['1a', '1b', '1c']) expect(why).toContain(`Line ${line}`);
  expect(why).not.toContain('s3.example.com');
});

it.each([
  ['3', '3'],
  ['2, 5-7, 3', '5-7 and 3'],
])('the bot names the lines that have already been decided: "%s"', (lines, numbers) => {
  expect(Object(read(lines)).why).toBe(
    `⚠️ Already decided in this list: ${numbers}. Your decline had no effect.`,
  );
});

it.each([
  ['9', ''],
  ['9a', ''],
  ['12 - 9', ''],
  ['1 to 2', ' Enter lines like this: `3, 7-9`.'],
  ['1 2', ' Enter lines like this: `3, 7-9`.'],
])('the bot rejects unknown lines: "%s"', (lines, hint) => {
  expect(Object(read(lines)).why).toBe(
    `⚠️ \`${lines}\` isn't a line in this submission.${hint} Still waiting for a moderator.`,
  );
});

it.each([
  ['1b', [1]],
  ['1a, 2', [0, 3]],
  ['1-1', [0, 1, 2]],
  ['2-1', [0, 1, 2, 3]],
])('the bot declines only the lines that the moderator enters: "%s"', (lines, indices) => {
  expect(read(lines)).toMatchObject({ only: new Set(indices) });
});

describe('if admins require a reason, a moderator', () => {
  it.each([{ why: 'rules' }, { reason: 'fake' }])('can choose or write a reason: %o', (fields) => {
    expect(readFields(fields, true)).toMatchObject({ kind: 'typed' });
    expect(readFields({ ...fields, lines: '2' }, true)).toMatchObject({ only: new Set([3]) });
  });

  it.each([{}, { lines: '2' }, { block: '@mia' }])("can't decline without one: %o", (fields) => {
    expect(readFields(fields, true)).toEqual({
      kind: 'refused',
      why: expect.stringContaining('Not declined: a reason is required here.'),
    });
  });
});
