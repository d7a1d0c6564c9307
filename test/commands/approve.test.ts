import { describe, expect, it } from 'vitest';
import {
  type Approved,
  announcementOfAll,
  approvalNotes,
  replaceKeyButton,
} from '../../commands/submissions/approve.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { isReady } from '../../src/server-lists/row.ts';
import type { EndedSubmission, RowResult } from '../../src/submissions/pipeline.ts';
import { readyDraft } from '../support/builders.ts';
import { anyContext } from './context.ts';

const games = indexGames([{ name: 'Counter-Strike 2', alias: 'cs2' }]);
const draft = readyDraft('d', 4);
const rows = draft.rows.filter(isReady);
const ENDED: EndedSubmission = {
  kind: 'ended',
  draft,
  servers: [],
  limitedRows: [],
  limited: undefined,
  isLeft: false,
  remaining: undefined,
  announcedIn: undefined,
  includesFirstAccepted: false,
  isRecorded: true,
  keyProblem: undefined,
};

const approvedWith = (waitingAgain: number, ended: Partial<EndedSubmission>): Approved => ({
  kind: 'approved',
  ended: { ...ENDED, draft: { ...draft, rows: [] }, ...ended },
  user: { id: '4', name: 'mia' },
  waitingAgain,
});

const notesOf = (waitingAgain: number, ended: Partial<EndedSubmission>, isAdmin = false) =>
  approvalNotes(anyContext({ isAdmin }), [approvedWith(waitingAgain, ended)], games).join('\n');

it('an announcement of servers from several members names each member once', () => {
  const accepted = rows.map(
    (row): RowResult => ({
      row,
      line: row.line,
      server: row.submission,
      outcome: { kind: 'accepted', message: 'Yes.' },
    }),
  );
  const approvedFor = (name: string, servers: readonly RowResult[]): Approved => ({
    ...approvedWith(0, { announcedIn: '7', servers }),
    user: { id: name, name },
  });
  const all = [
    approvedFor('mia', accepted.slice(0, 1)),
    approvedFor('leo', accepted.slice(1, 2)),
    approvedFor('mia', accepted.slice(2)),
  ];
  const { content, embed } = announcementOfAll(all, games)?.(anyContext({}).t) ?? {};
  expect(content).toMatch(/@mia submitted 3 game servers.*\n.*@leo submitted a game server/);
  expect(embed?.description?.match(/d-\d\.example/g)).toHaveLength(4);
});

describe('the reply to a moderator who approves a submission', () => {
  it('has no notes if all servers were sent', () => {
    expect(notesOf(0, {})).toBe('');
  });

  it('shows how many servers have returned to the queue', () => {
    expect(notesOf(1, {})).toBe('1 game server is waiting for a moderator again.');
  });

  it('shows which servers exceed a limit, and how many were already submitted', () => {
    const limited = { code: 'daily-quota', limit: 2, until: 1_000_000, isSoon: false } as const;
    const limitedRows = rows.slice(3);
    const servers = rows.slice(0, 2).map(
      (row): RowResult => ({
        row,
        line: row.line,
        server: row.submission,
        outcome: { kind: 'accepted', message: 'Yes.' },
      }),
    );
    const notes = notesOf(1, { draft, servers, limitedRows, limited });
    expect(notes).toContain('1 game server was left out: it was already submitted.');
    expect(notes).toMatch(/the daily quota of 2 game servers is used up.*\n.*d-3\.example\.com/);
  });

  it('says that the service rejects the key and shows the next step', () => {
    const keyProblem = { code: 'key-invalid', setBy: '9' } as const;
    expect(notesOf(1, { keyProblem }, true)).toMatch(
      /⚠️ .* rejects .* API key.* The rejected key was set by <@9>/,
    );
    expect(notesOf(1, { keyProblem })).toMatch(/⚠️ .* rejects .* API key.* can replace it with \/setkey/);
    const buttonFor = (isAdmin: boolean) =>
      replaceKeyButton(anyContext({ isAdmin }), [approvedWith(1, { keyProblem })]);
    expect(buttonFor(true)).toMatchObject({ label: 'Enter an API key' });
    expect(buttonFor(false)).toBe(false);
  });
});
