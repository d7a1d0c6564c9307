import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  gameMark,
  LONGEST_SERVER_FILTER,
  readFilter,
  type SubmissionsDeps,
  submissionsCommand,
  writeFilter,
} from '../../commands/submissions.ts';
import type { PressContext } from '../../src/discord/command.ts';
import { customId } from '../../src/discord/components/controls.ts';
import { readPage, writePage } from '../../src/discord/components/pager.ts';

const snowflake = fc.bigInt({ min: 10n ** 16n, max: 2n ** 64n - 1n }).map(String);
const filter = fc.record({
  userId: fc.oneof(fc.constant(''), snowflake),
  game: fc.oneof(
    fc.constant(''),
    fc.string().map((alias) => gameMark(alias)),
  ),
  server: fc.string({ maxLength: LONGEST_SERVER_FILTER }).map((text) => text.slice(0, LONGEST_SERVER_FILTER)),
});

describe('the filter in a custom id', () => {
  it('comes back as it was, and leaves room for the seal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), filter, (page, wanted) => {
        const written = writePage(page, writeFilter(wanted));
        const read = readPage(written);
        expect({ page: read.wanted, filter: readFilter(read.state) }).toEqual({ page, filter: wanted });
        // Discord takes 100 characters, of which the seal needs 8.
        expect(customId('submissions', 'page', written).length).toBeLessThanOrEqual(92);
      }),
    );
  });

  it('may be anything at all', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { wanted, state } = readPage(text);
        expect(wanted).not.toBeNaN();
        expect(readFilter(state).userId).toMatch(/^\d*$/);
      }),
    );
  });
});

describe('Export', () => {
  it('makes one file of a member at a time, and the next one when that has ended, however it did', async () => {
    const counts: PromiseWithResolvers<number>[] = [];
    const history = {
      count: () => {
        const counted = Promise.withResolvers<number>();
        counts.push(counted);
        return counted.promise;
      },
      async *all() {},
    } as unknown as SubmissionsDeps['history'];
    const games = {} as SubmissionsDeps['games'];
    const { presses } = submissionsCommand({ history, games });
    const press = presses?.export;
    if (press?.answer !== 'reply') throw new Error('a button that is answered with a message was expected');
    const run = (id: string) => {
      const context = { guildId: '1', user: { id }, argument: '', t: (name: string) => name, isAdmin: true };
      return press.run(context as unknown as PressContext);
    };
    const [first, other] = [run('2'), run('3')];
    await expect(run('2')).rejects.toThrow('submissions.stillExporting');
    await expect.poll(() => counts.length).toBe(2);
    counts[1]?.resolve(0);
    expect((await other).content).toContain('submissions.exported');
    counts[0]?.reject(new Error('a fault'));
    await expect(first).rejects.toThrow('a fault');
    const last = run('2');
    await expect.poll(() => counts.length).toBe(3);
    counts[2]?.resolve(0);
    await last;
  });
});
