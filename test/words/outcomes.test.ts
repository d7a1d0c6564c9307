import { describe, expect, it } from 'vitest';
import { ADDED, type Outcome } from '../../src/listing/contract.ts';
import { outcomesForLog, outcomeText, outcomeTexts } from '../../src/words/outcomes.ts';
import { type Audience, createWords } from '../../src/words/words.ts';

const server = { server: 'play.example.com', port: 27_015, game: 'cs2' };
const accepted = (message: string): Outcome => ({ kind: 'accepted', message });
const ended = (...messages: readonly string[]) =>
  messages.map((message, index) => ({ line: index + 1, server, outcome: accepted(message) }));

const audienceFor = (locale: string): Audience => ({
  t: createWords().wordsFor(locale),
  mention: (name) => `/${name}`,
  isAdmin: false,
  pages: () => undefined,
});

describe("the service's message about accepted servers", () => {
  it.each([
    ['en-US', '✅ Sent for review. “Servers have been added for review.”'],
    ['de', '✅ Zur Prüfung gesendet. „Servers have been added for review.“'],
  ])("is quoted after a single server's outcome (%s)", (locale, text) => {
    const audience = audienceFor(locale);
    expect(outcomeText(audience, server, accepted(` ${ADDED}\n`))).toBe(text);
    expect(outcomesForLog(audience.t, ended(ADDED))).toEqual([text]);
  });

  it.each([
    ['en-US', '✅ **238 sent for review.** “Servers have been added for review.”'],
    ['de', '✅ **238 zur Prüfung gesendet.** „Servers have been added for review.“'],
  ])('is quoted after the number of servers (%s)', (locale, text) => {
    const audience = audienceFor(locale);
    const list = ended(...Array(238).fill(ADDED));
    expect(outcomeTexts(audience, list).map((each) => each.split('\n')[0])).toEqual([text]);
    expect(outcomesForLog(audience.t, list)).toEqual([text.replaceAll('**', '')]);
  });

  it('is shown only once if it is repeated', () => {
    const { t } = audienceFor('en-US');
    const messages = [ADDED, 'Thanks.', ADDED, 'Yes.'];
    expect(outcomesForLog(t, ended(...messages))).toEqual([
      `✅ 4 sent for review. “${ADDED}” “Thanks.” “Yes.”`,
    ]);
    expect(outcomesForLog(t, ended(...messages, 'Fine.'))).toEqual([
      `✅ 5 sent for review. “${ADDED}” “Thanks.” “Yes.” …`,
    ]);
  });

  it.each([
    ['Thanks. @everyone', '✅ Sent for review. “Thanks. \\@everyone”'],
    ['', '✅ Sent for review.'],
  ])('is escaped, or omitted if empty: %j', (message, reply) => {
    const audience = audienceFor('en-US');
    expect(outcomeText(audience, server, accepted(message))).toBe(reply);
    expect(outcomesForLog(audience.t, ended(message))).toEqual([reply]);
  });
});

it("the service's error message is relayed word for word", () => {
  const outcome: Outcome = { kind: 'rejected', message: 'No such luck, try port 27016.' };
  expect(outcomeText(audienceFor('en-US'), server, outcome)).toBe(
    '❌ Rejected. The listing service says:\n> No such luck, try port 27016.',
  );
});

it('the log names the rejected servers if only some were accepted', () => {
  const { t } = audienceFor('en-US');
  const rejected: Outcome = { kind: 'rejected', message: 'No such luck.' };
  const failed = Array.from({ length: 4 }, (_, n) => ({
    server: { ...server, port: n + 1 },
    outcome: rejected,
  }));
  expect(outcomesForLog(t, [...ended(ADDED), ...failed.slice(0, 1)])).toEqual([
    `✅ 1 sent for review. “${ADDED}”`,
    '❌ 1 rejected: `play.example.com:1` · No such luck.',
  ]);
  expect(outcomesForLog(t, [...ended(ADDED), ...failed])[1]).toMatch(
    /^❌ 4 rejected: .*:1`, .*:3`,? and 1 more · /,
  );
  expect(outcomesForLog(t, failed)).toEqual(['❌ 4 rejected. No such luck.']);
});

it('no details are shown for a rejection without a reason', () => {
  const audience = audienceFor('en-US');
  const outcome: Outcome = { kind: 'rejected', message: ' \u200b' };
  expect(outcomeText(audience, server, outcome)).toBe('❌ Rejected.');
  expect(outcomeTexts(audience, [{ server, outcome }])).toEqual([
    '❌ **1 rejected.**\n- `play.example.com:27015`',
  ]);
});
