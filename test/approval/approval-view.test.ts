import { expect, it } from 'vitest';
import {
  channelView,
  decidedText,
  decisionButtons,
  harmfulView,
  stateText,
} from '../../src/approval/approval-view.ts';
import { reasonNamed } from '../../src/approval/decline-reasons.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import type { Submission } from '../../src/submissions/submission.ts';
import { createWords } from '../../src/words/words.ts';

const t = createWords().wordsFor('en-US');
const games = indexGames([{ name: 'Rust', alias: 'rust' }]);
const ACCEPTED = { kind: 'accepted', message: 'Yes.' } as const;

const waiting: Submission = {
  id: '1',
  draftId: '2',
  guildId: '3',
  interactionId: undefined,
  state: 'waiting',
  userId: '4',
  userName: 'mia',
  decidedBy: '5',
  decidedByName: 'mod',
  correctedBy: '5',
  correctedByName: 'mod',
  correctedFrom: undefined,
  declineReason: { key: undefined, words: 'No.' },
  decisionId: undefined,
  isUndoable: false,
  needsModerator: true,
  expiresAt: 0,
  endedAt: undefined,
  source: 'options',
  servers: [{ server: { game: 'rust', server: 'a.example.com', port: 1 }, line: 1, outcome: ACCEPTED }],
  message: undefined,
  revision: 1,
  shownRevision: 0,
};
const [server] = waiting.servers;
const background = {
  before: [],
  decided: [],
  olderDeclineCount: 0,
  held: undefined,
  isRepeat: false,
  blocked: [],
  manyPorts: [],
};
const contentOf = (submission: Submission, more: Partial<Parameters<typeof channelView>[2]> = {}) =>
  channelView(t, submission, { ...background, ...more }, games).content ?? '';

it.each([
  ['⏳', 'waiting'],
  ['⏳', 'running'],
  ['✅', 'done'],
  ['❌', 'declined'],
  ['⚠️', 'expired'],
  ['↩️', 'withdrawn'],
] as const)('an approval message begins with %s and the server if the submission is %s', (sign, state) => {
  expect(contentOf({ ...waiting, state })).toMatch(
    new RegExp(`^${sign} \\*\\*Rust\\*\\* \`a\\.example\\.com:1\`\nby `),
  );
  const servers = server ? [server, server] : [];
  expect(contentOf({ ...waiting, state, servers })).toMatch(
    new RegExp(`^${sign} \\*\\*Rust\\*\\* \\(2\\)\n\`a\\.example\\.com:1\`\n`),
  );
});

it('an approval message without addresses still counts unconfirmed and already submitted servers', () => {
  const before = {
    server: 'a.example.com',
    port: 1,
    game: 'rust',
    at: 0,
    userId: '4',
    userName: 'mia',
    isYours: false,
  };
  const unconfirmed = { kind: 'unknown', reason: 'unreadable' } as const;
  const all = [
    { ...before, outcome: unconfirmed },
    { ...before, outcome: ACCEPTED },
  ];
  const { content } = harmfulView(t, waiting, { ...background, before: all }, games);
  expect(content).toContain('**1 unconfirmed:**\n**1 already submitted:**');
  expect(content).not.toContain('example.com');
});

it('an approval message shows each person by name, or by mention if the name is unknown', () => {
  const blocked = [{ kind: 'member', id: '4', name: 'mia' }] as const;
  const decided = [{ ...waiting, state: 'declined' }] as const;
  const named = contentOf({ ...waiting, state: 'declined' }, { decided, blocked });
  expect(named).not.toContain('<@');
  expect(named.match(/@\w+/g)).toEqual(['@mia', '@mod', '@mod', '@mia', '@mod']);
  const unnamed = contentOf({ ...waiting, state: 'declined', userName: '', decidedByName: '' });
  expect(unnamed.match(/@\w+/g)).toEqual(['@4', '@mod', '@5']);
});

it('an approval message counts the partial declines that it omits', () => {
  const decided = [{ ...waiting, state: 'declined' }] as const;
  expect(contentOf(waiting, { decided, olderDeclineCount: 2 })).toMatch(
    /❌ 1 declined by \\@mod.*\n… and 2 more$/,
  );
});

it('an approval message shows which servers were approved and why the remaining ones must wait', () => {
  const servers = server ? [server, server, server] : [];
  const limited = { code: 'daily-quota', limit: 3, until: 60_000, isSoon: false } as const;
  const content = contentOf(waiting, {
    decided: [{ ...waiting, state: 'done', servers }],
    held: { count: 1, limited },
  });
  expect(content.split('\n').slice(-2)).toEqual([
    '⚠️ **1 has to wait** until <t:60>: the daily quota of 3 game servers is used up.',
    '✅ Approved by \\@mod: **Rust** `a.example.com:1`, `a.example.com:1`, and 1 more · 3 sent for review. “Yes.”',
  ]);
});

it('an approval message shows warnings above declined servers', () => {
  const decided = [{ ...waiting, state: 'declined' }] as const;
  const content = contentOf(waiting, {
    decided,
    olderDeclineCount: 1,
    blocked: [{ kind: 'member', id: '4', name: 'mia' }],
    manyPorts: [{ host: 'a.example.com', count: 11 }],
  });
  const signs = content.split('\n').map((line) => line.split(' ')[0]);
  expect(signs.slice(-4)).toEqual(['🚫', '🔢', '❌', '…']);
});

it("an approval message shows line numbers if it doesn't name all declined servers", () => {
  const servers = [3, 40, 41, 42].flatMap((line) => (server ? [{ ...server, line }] : []));
  const declined = { ...waiting, state: 'declined', servers } as const;
  expect(contentOf(waiting, { decided: [declined] })).toMatch(
    / 2 more · Lines: 3 and 40-42 · Reason: No\\?\.$/,
  );
  const short = { ...declined, servers: servers.slice(2) };
  expect(contentOf(waiting, { decided: [short] })).not.toContain('Lines:');
});

it('an approval message about ten servers has no "Show all" button', () => {
  const servers = Array.from({ length: 10 }, () => server).filter((each) => each !== undefined);
  expect(decisionButtons(t, { ...waiting, servers }, { isRepeat: false })).toHaveLength(2);
});

it('an approval message shows the full decline reason', () => {
  const declineReason = { key: undefined, words: '*_'.repeat(150) };
  expect(contentOf({ ...waiting, state: 'declined', declineReason })).toContain('\\*\\_'.repeat(150));
});

it('stateText() names the server of a withdrawn submission', () => {
  expect(stateText(t, { ...waiting, state: 'withdrawn' }, games)).toBe(
    '↩️ Withdrawn. Nothing was sent. **Rust** `a.example.com:1`',
  );
});

it('decidedText() returns an empty string if there are no decisions', () => {
  expect(decidedText(t, [], games)).toBe('');
});

it('reasonNamed() returns undefined for an unknown decline reason', () => {
  expect(['game', 'no-longer-used', '', undefined].map(reasonNamed)).toEqual([
    'game',
    undefined,
    undefined,
    undefined,
  ]);
});
