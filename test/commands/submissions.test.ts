import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gameMark, LONGEST_SERVER_FILTER, readFilter, writeFilter } from '../../commands/submissions.ts';
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
