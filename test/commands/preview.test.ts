import { describe, expect, it } from 'vitest';
import { replyForSubmission } from '../../commands/submissions/waiting.ts';
import { previewOf } from '../../commands/submit/preview.ts';
import { DEFAULTS } from '../../src/guilds/settings.ts';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { readList } from '../../src/server-lists/read-list.ts';
import type { Row } from '../../src/server-lists/row.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import { readServerLines } from '../../src/words/servers.ts';
import { checkedDraft, readyRow } from '../support/builders.ts';
import { anyContext, onlyDeps } from './context.ts';

const games = indexGames(KNOWN_GAMES);

const withoutPort = (line: number): Row => ({
  kind: 'invalid',
  line,
  problem: { code: 'port-missing', host: `p${line}.example.com`, game: 'cs2', usual: 27015 },
  typed: { server: `p${line}.example.com`, port: '', queryPort: '', game: 'cs2' },
});
const withoutGame = (line: number): Row => ({
  kind: 'invalid',
  line,
  problem: { code: 'game-missing' },
  typed: { server: `g${line}.example.com:1`, port: '', queryPort: '', game: '' },
});
const ready = (count: number, from = 1, game = 'cs2'): readonly Row[] =>
  Array.from({ length: count }, (_, n) => readyRow(from + n, `s${from + n}.example.com`, { game }));

function preview(rows: readonly Row[]) {
  const checked = checkedDraft({ id: 'd', source: 'text', rows });
  const reply = previewOf(anyContext(), checked, games, { notice: '', nextSteps: '' });
  const [embed] = reply.embeds ?? [];
  return {
    content: reply.content ?? '',
    list: String(embed?.description ?? ''),
    files: (reply.files ?? []).map(({ name }) => name),
    read: readServerLines({ content: '', embeds: reply.embeds ?? [] }),
  };
}

describe('a preview', () => {
  it('counts lines without a game as lines to fix', () => {
    const { content } = preview([...ready(3), withoutPort(4), withoutGame(5), withoutGame(6)]);
    expect(content).toMatch(/^\*\*3 lines need fixing:\*\*/);
    expect(content).toContain('**3 game servers are ready.**');
    expect(content).toContain('- Line 5 `g5.example.com:1`: no game');
    expect(content).not.toContain('without a game');
  });

  it('suggests a correction or the default port for an invalid line', () => {
    const table =
      'server,port,game\nt.example.com,"28,015",rust\n"c,example,com",2.302,dayz\nz.example.com,0,cs2\nh.example.com,270155,cs2\nx.example.com,70.000,cs2';
    const list = readList(table, games);
    const { content } = preview(list.kind === 'rows' ? list.rows : []);
    expect(content).toContain("`t.example.com 28,015 rust`: port `28,015` isn't a number from 1 to 65535");
    expect(content).toContain('Did you mean 28015?');
    expect(content.replaceAll('\\', '')).toContain('Did you mean c.example.com:2302?');
    expect(content).toContain("port `0` isn't a number from 1 to 65535 (default is 27015)");
    expect(content).toContain("port `270155` isn't a number from 1 to 65535 (default is 27015)");
    expect(content).toMatch(/port `70.000` isn't a number from 1 to 65535$/m);
  });

  it('shows each game once, above its servers', () => {
    const { list, read } = preview([...ready(2), ...ready(1, 3, 'rust'), ...ready(1, 4)]);
    expect(list).toBe(
      [
        '**Counter-Strike 2** (3)',
        '`s1.example.com:27015`',
        '`s2.example.com:27015`',
        '`s4.example.com:27015`',
        '**Rust** `s3.example.com:27015`',
      ].join('\n'),
    );
    // An expired message's form reads the game from the heading.
    expect(read.map(({ game }) => game)).toEqual([...Array(3).fill('Counter-Strike 2'), 'Rust']);
  });

  it('lists only the first ten servers', () => {
    const { list, files } = preview(ready(14));
    expect(list).toMatch(/^\*\*Counter-Strike 2\*\* \(14\)\n.*s10\.example\.com:27015`\n… and 4 more$/s);
    expect(files).toEqual(['preview.csv']);
  });

  it("counts the servers per game if the first ten don't include every game", () => {
    const { list, read } = preview([...ready(12), ...ready(2, 13, 'rust')]);
    expect(list).toMatch(/^Counter-Strike 2 \(12\) and Rust \(2\)\n\n\*\*Counter-Strike 2\*\* \(12\)\n/);
    expect(read.map(({ game }) => game)).toEqual(Array(10).fill('Counter-Strike 2'));
    expect(preview([...ready(9), ...ready(2, 10, 'rust')]).list).toMatch(/^\*\*Counter-Strike 2/);
  });

  it("has an attachment only if the message can't list every line", () => {
    expect(preview([...ready(20), withoutPort(21)]).files).toEqual(['preview.csv']);
    const wrong = Array.from({ length: 11 }, (_, n) => withoutPort(n + 2));
    const { content, files } = preview([...ready(1), ...wrong]);
    expect(files).toEqual(['to-fix.csv']);
    expect(content).toContain('All of them are in `to-fix.csv`.');
  });
});

describe('a reply about a submission that needs approval', () => {
  const submission = (state: Submission['state']): Submission =>
    ({
      id: 'run',
      draftId: 'd',
      guildId: '2',
      userId: '4',
      needsModerator: true,
      decidedBy: '',
      state,
      servers: [{ line: 1, server: readyRow(1, 'a.example.com').submission, outcome: undefined }],
    }) as unknown as Submission;

  async function reply(state: Submission['state']) {
    const draft = { id: 'd', source: 'text', rows: [...ready(1), withoutPort(2)] };
    const deps = onlyDeps({
      games,
      approvals: { waitingAgain: async () => 0 },
      drafts: { read: async () => draft },
      submissions: { earlier: async () => [] },
      history: { includesFirstAccepted: async () => false },
      settings: { rememberedOrThrow: async () => DEFAULTS },
      decisionMessages: { wantsDirectMessages: async () => false },
    });
    const { content = '', components = [] } = await replyForSubmission(anyContext(), submission(state), deps);
    const labels = components.flatMap((row) => row.components.map((each) => Object(each).label));
    return { content, labels };
  }

  it.each([
    ['waiting', ['Edit', 'Withdraw', 'Fix 1 line']],
    ['done', ['Fix 1 line']],
    ['declined', ['Edit and submit again']],
  ] as const)('lists the lines to fix (state: %s)', async (state, buttons) => {
    const { content, labels } = await reply(state);
    expect(content).toContain('**1 line needs fixing:**\n- Line 2 `p2.example.com cs2`: no port');
    expect(labels).toEqual(buttons);
  });
});
