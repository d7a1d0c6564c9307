import { describe, expect, it } from 'vitest';
import { notSubmittedButtons } from '../../commands/submit/repairs.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import type { NotSubmitted } from '../../src/submissions/check.ts';
import { notSubmittedText, remainingText, stillWaitingText } from '../../src/words/not-submitted.ts';
import { anyContext } from './context.ts';

const context = anyContext();
const games = indexGames([{ name: 'Counter-Strike 2', alias: 'cs2' }]);
const limit = { limit: 2, until: 1_000_000, isSoon: true };
const server = { server: 'a.example.com', port: 1, game: 'cs2' };
const earlier = {
  ...server,
  at: 0,
  userId: '9',
  userName: 'lea',
  isYours: false,
  outcome: { kind: 'accepted', message: 'Yes.' },
} as const;

const labelsOf = (reason: NotSubmitted) =>
  notSubmittedButtons(context.t, '1', reason).map((each) => ('label' in each ? each.label : each));

it.each<{ reason: NotSubmitted; text: RegExp; labels: readonly string[] }>([
  {
    reason: { code: 'waiting-already' },
    text: /already waiting for a moderator/,
    labels: ['My submissions', 'Edit'],
  },
  {
    reason: { code: 'member-waiting', count: 10 },
    text: /10 of your submissions.*Withdraw one, or wait/,
    labels: ['My submissions', 'Submit again', 'Edit'],
  },
  {
    reason: { code: 'guild-waiting', count: 100 },
    text: /100 submissions.*Withdraw one, or wait/,
    labels: ['My submissions', 'Submit again', 'Edit'],
  },
  {
    reason: { code: 'member-blocked' },
    text: /you can't submit game servers in this Discord server/,
    labels: [],
  },
  {
    reason: { code: 'waiting-often', at: 1_000_000 },
    text: /too many submissions in a short time\. You can try again from <t:\d+:t>/,
    labels: ['Submit again', 'Edit'],
  },
])('the reply to an unsuccessful submission explains the reason and the next step: $reason.code', ({
  reason,
  text,
  labels,
}) => {
  expect(notSubmittedText(reason, context, games)).toMatch(text);
  expect(labelsOf(reason)).toEqual(labels);
});

it.for([
  ['accepted', { kind: 'accepted', message: 'Yes.' }, /^⚠️ Not sent: already submitted here\.\n✅/],
  [
    'unconfirmed',
    { kind: 'unknown', reason: 'server-error' },
    /^⚠️ Not sent: an earlier [^\n]*unconfirmed\.\n❓/,
  ],
] as const)('the reply to a repeated submission states the earlier outcome: %s', ([, outcome, text]) => {
  const reason = { code: 'already-submitted', servers: [{ ...earlier, outcome }] } as const;
  expect(notSubmittedText(reason, context, games)).toMatch(text);
  expect(labelsOf(reason)).toEqual(['Submit again anyway', 'Edit']);
});

it.each([
  [10, 'You can submit 10 more game servers for now.'],
  [11, undefined],
])('a member who can submit at most ten more servers is told how many (%i)', (count, text) => {
  expect(remainingText({ count, limited: { code: 'member-limit', ...limit } }, context.t)).toBe(text);
});

describe('the reply to a failed approval', () => {
  it.each<{ reason: NotSubmitted; text: RegExp }>([
    {
      reason: { code: 'key-missing' },
      text: /no API key.*Enter an API key with \/setkey\.\n.*Still waiting/,
    },
    { reason: { code: 'daily-quota', ...limit }, text: /daily quota of 2 game servers is used up/ },
    {
      reason: { code: 'game-not-allowed', game: 'cs2' },
      text: /`Counter-Strike 2` isn't allowed here.*allow the game in \/settings/s,
    },
    {
      reason: { code: 'already-submitted', servers: [earlier] },
      text: /already submitted.*Still waiting/s,
    },
  ])('explains the reason: $reason.code', ({ reason, text }) => {
    const shown = stillWaitingText(reason, context, games);
    expect(shown).toMatch(text);
    expect(shown).toContain('Still waiting for a moderator.');
  });

  it("doesn't ask the moderator to choose another game", () => {
    const reason = { code: 'game-not-allowed', game: 'cs2' } as const;
    expect(stillWaitingText(reason, context, games)).not.toContain('another game');
    expect(notSubmittedText(reason, context, games)).toContain('another game');
  });
});
