import { describe, expect, it } from 'vitest';
import { type Ask, claimOf, type Findings, judge } from './judge.ts';
import type { Harm } from './verdict.ts';

const ACCEPTED = '✅ Sent for review. “Servers have been added for review.”';
const REJECTED = '❌ Rejected. The listing service says:\n> Not today.';
const NOT_TAKEN = '❌ Rejected. The listing service says:\n│ Invalid API key.';
const UNKNOWN =
  "❓ Unconfirmed. The listing service didn't respond in time. It may have arrived. Check the listing service's site before sending it again.";
const NOT_SENT = "⚠️ Not sent. The listing service couldn't be reached. You can safely try again.";
const HELD_BACK =
  "⚠️ Not sent. The listing service rejects this Discord server's API key, so nothing can be sent. The rejected key was set by @7.";
const WARNING =
  '⚠️ Not sent: mia submitted a.example.com. What became of it is unknown, and it may have been received.';

/**
 * Returns the harm that `judge` finds in these replies, if the service received, rejected and stored the server this many
 * times.
 */
function harms(
  words: readonly (string | undefined)[],
  service: Partial<Record<'got' | 'down' | 'has', number>>,
  history = true,
) {
  const { got = 0, down = 0, has = 0 } = service;
  const server = 'a.example.com';
  const findings: Findings = {
    asks: words.map(
      (each): Ask => ({ server, guildId: '1', who: 'mia', ...(each !== undefined && { words: each }) }),
    ),
    received: Array(got).fill(server),
    turnedDown: Array(down).fill(server),
    held: Array(has).fill(server),
    isInHistory: () => history,
  };
  const found = new Set<Harm>();
  judge(findings, (kind) => found.add(kind));
  return [...found];
}

describe('claimOf()', () => {
  it.each([
    [ACCEPTED, 'accepted'],
    [REJECTED, 'rejected'],
    [NOT_TAKEN, 'not taken'],
    [UNKNOWN, 'unknown'],
    [NOT_SENT, 'nothing sent'],
    [WARNING, 'nothing sent'],
    ['⏳ Waiting for a moderator. Not sent unless one decides by <t:1:D>.', 'waiting'],
    [`✅ Approved by @7\n${ACCEPTED}`, 'waiting'],
    ['❌ Declined by @7\nReason: Not today.', 'nothing sent'],
    [HELD_BACK, 'nothing sent'],
    ['Still not possible at 19:03:05:', 'nothing sent'],
    ['⚠️ Needs fixing: no port (default is 27015).', 'nothing sent'],
    ['↩️ Withdrawn. Nothing was sent.', 'nothing sent'],
    ["Cancelled. What hasn't been sent yet won't be sent.", 'nothing sent'],
    ['The application did not respond.', 'nothing sent'],
    [
      `The bot was interrupted before it could finish, so nothing was submitted to the listing service. Please try again.\n${REJECTED}`,
      'nothing sent',
    ],
    ['list: unknown', 'unknown'],
    ['list: not-sent', 'nothing sent'],
    ["Something went wrong on the bot's side.", 'unclear'],
  ])('recognises the claim in "%s"', (words, claim) => {
    expect(claimOf(words)).toBe(claim);
  });
});

describe('judge()', () => {
  it('accepts replies that match what happened', () => {
    expect(harms([ACCEPTED], { got: 1, has: 1 })).toEqual([]);
    expect(harms([REJECTED], { got: 1 })).toEqual([]);
    expect(harms([NOT_TAKEN, NOT_TAKEN], { got: 1, down: 1 })).toEqual([]);
    expect(harms([NOT_SENT], {})).toEqual([]);
    for (const service of [{}, { got: 1 }, { got: 1, has: 1 }]) expect(harms([UNKNOWN], service)).toEqual([]);
    expect(harms([UNKNOWN, WARNING, ACCEPTED], { got: 2, has: 2 })).toEqual([]);
    expect(harms([REJECTED, ACCEPTED, WARNING], { got: 2, has: 1 })).toEqual([]);
  });

  it('allows a rejected list to be resent in parts', () => {
    expect(harms(['list: accepted'], { got: 3, down: 2, has: 1 })).toEqual([]);
    expect(harms(['list: rejected'], { got: 3, down: 2 })).toEqual([]);
    expect(harms(['list: rejected'], { got: 2, down: 2 })).toEqual([]);
    expect(harms(['list: accepted'], { got: 3, down: 1, has: 1 })).toContain('sent twice');
    expect(harms(['list: accepted'], { got: 1, down: 1 })).toEqual(['false reply']);
  });

  it('reports servers that were sent twice', () => {
    expect(harms([ACCEPTED], { got: 2, has: 1 })).toContain('sent twice');
    expect(harms([UNKNOWN], { got: 2, has: 2 })).toContain('sent twice');
    expect(harms([], { got: 1 })).toContain('sent twice');
  });

  it('reports replies that contradict what happened', () => {
    expect(harms([ACCEPTED], {})).toEqual(['false reply']);
    expect(harms([ACCEPTED], { got: 1 })).toEqual(['false reply']);
    expect(harms([REJECTED], {})).toEqual(['false reply']);
    expect(harms([NOT_TAKEN], { got: 1 })).toEqual(['false reply']);
    expect(harms([NOT_TAKEN], {})).toEqual(['false reply']);
    expect(harms([REJECTED], { got: 1, has: 1 })).toEqual(['false reply']);
    expect(harms([NOT_SENT], { got: 1 })).toEqual(['false reply']);
    expect(harms([WARNING, NOT_SENT], { got: 1, has: 1 })).toEqual(['false reply']);
    expect(harms(['The application did not respond.'], { got: 1, has: 1 })).toEqual(['false reply']);
  });

  it('reports lost submissions', () => {
    expect(harms(["Something went wrong on the bot's side."], {})).toEqual(['lost']);
    expect(harms([ACCEPTED], { got: 1, has: 1 }, false)).toEqual(['lost']);
  });

  it('reports replies that still show "thinking…"', () => {
    expect(harms([undefined], {})).toEqual(['left thinking']);
    expect(harms([ACCEPTED, undefined], { got: 1, has: 1 })).toEqual(['left thinking']);
  });
});
