import { expect, it } from 'vitest';
import { createSubmissionLog } from '../../src/guild-log/guild-log-entries.ts';
import type { Outcome } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { createWords } from '../../src/words/words.ts';

it("an approval's log line names the moderator and counts requeued servers", async () => {
  const lines: string[] = [];
  const guildLog = {
    add: async (_guildId: string, makeText: (t: ReturnType<typeof wordsFor>) => string) =>
      void lines.push(makeText(wordsFor('en-US'))),
  };
  const { wordsFor } = createWords();
  const log = createSubmissionLog({ guildLog, games: indexGames([]) });
  const by = { guildId: '1', user: { id: '2', name: 'mia' }, interactionId: '3' };
  const server = { server: 'a.example.com', port: 1, game: 'rust' };
  const rejected: Outcome = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
  await log.ended?.(
    { ...by, approvedBy: { id: '9', name: 'mod' } },
    [{ line: 1, server, outcome: rejected }],
    false,
  );
  await log.ended?.(by, [{ line: 1, server, outcome: rejected }], false);
  expect(lines).toEqual([
    expect.stringMatching(
      /^\\@mia: .* · ❌ Rejected\. Invalid API key\. · Approved by \\@mod · 1 game server is waiting for a moderator again\.$/,
    ),
    expect.stringMatching(/^\\@mia: .* · ❌ Rejected\. Invalid API key\.$/),
  ]);
});
