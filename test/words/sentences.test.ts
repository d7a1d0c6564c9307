import { describe, expect, it } from 'vitest';
import { entryText, groupText, serverTexts } from '../../commands/submissions/entries.ts';
import { problemLines } from '../../commands/submit/problem-text.ts';
import {
  type Failure,
  KNOWN_ERRORS,
  type KnownError,
  NOT_SENT_REASONS,
  UNKNOWN_REASONS,
} from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import type { RowProblem } from '../../src/server-lists/row.ts';
import type { NotSubmitted } from '../../src/submissions/check.ts';
import {
  NOT_APPROVED_REASONS,
  type NotApprovedOutcome,
  type ServerOutcome,
} from '../../src/submissions/outcome.ts';
import { keyText, nextStepForKey } from '../../src/words/keys.ts';
import { languages } from '../../src/words/languages.ts';
import { notSubmittedText, stillWaitingText } from '../../src/words/not-submitted.ts';
import { announcementOf, outcomesForLog, outcomeText } from '../../src/words/outcomes.ts';
import { problemText } from '../../src/words/problem.ts';
import { typedLine } from '../../src/words/servers.ts';
import { failureText } from '../../src/words/service.ts';
import { type Audience, createWords } from '../../src/words/words.ts';
import { rendered } from './rendered.ts';

/** Text that a member or the service might write. */
const EVIL = '`[x](https://evil.example) **b**` @everyone <@123456789012345678>\n# Big';
const games = indexGames([{ name: EVIL, alias: EVIL }]);
const server = { server: '2606:4700::1', port: 1, game: EVIL };

const port = { field: 'port', port: 70_000 } as const;
const PROBLEMS: Readonly<Record<RowProblem['code'], RowProblem>> = {
  'server-missing': { code: 'server-missing' },
  'ipv4-form': { code: 'ipv4-form', host: EVIL },
  'bad-ipv6': { code: 'bad-ipv6', host: EVIL },
  'not-public': { code: 'not-public', host: EVIL, range: 'private' },
  'reserved-name': { code: 'reserved-name', host: EVIL, zone: EVIL },
  'single-label': { code: 'single-label', host: EVIL },
  'service-name': { code: 'service-name', host: EVIL },
  'bad-name': { code: 'bad-name', host: EVIL },
  symbols: { code: 'symbols', host: EVIL },
  'look-alikes': { code: 'look-alikes', host: EVIL, meant: EVIL },
  script: { code: 'script', host: EVIL },
  'label-too-long': { code: 'label-too-long', label: EVIL, length: 64, most: 63 },
  'name-too-long': { code: 'name-too-long', length: 254, most: 253 },
  'not-an-address': { code: 'not-an-address' },
  'web-address': { code: 'web-address' },
  'unknown-scheme': { code: 'unknown-scheme', scheme: EVIL },
  'ipv6-brackets': { code: 'ipv6-brackets', host: EVIL, port: EVIL },
  'address-too-long': { code: 'address-too-long', length: 1001, most: 1000 },
  'port-not-a-number': { code: 'port-not-a-number', field: 'query_port', port: EVIL },
  'port-too-low': { code: 'port-too-low', ...port },
  'port-too-high': { code: 'port-too-high', ...port },
  'port-conflict': { code: 'port-conflict', inServer: 1, port: 2 },
  'port-missing': { code: 'port-missing', host: 'a.example.com', game: EVIL },
  'game-missing': { code: 'game-missing' },
  'game-unknown': { code: 'game-unknown', game: EVIL },
  'game-not-allowed': { code: 'game-not-allowed', game: EVIL },
  'waiting-already': { code: 'waiting-already' },
  'host-blocked': { code: 'host-blocked' },
  'no-address': { code: 'no-address' },
  'line-too-long': { code: 'line-too-long', length: 1001, most: 1000 },
  'query-port-unlikely': { code: 'query-port-unlikely', port: '24' },
  'too-many-cells': { code: 'too-many-cells', found: 5, most: 4 },
  'not-an-object': { code: 'not-an-object' },
  'wrong-type': { code: 'wrong-type', field: EVIL, expected: 'number' },
};
const before = {
  ...server,
  at: 0,
  userId: '9',
  userName: EVIL,
  isYours: false,
  outcome: { kind: 'accepted', message: 'Yes.' },
} as const;
const limit = { limit: 5, until: 1_000, isSoon: true };
const NOT_SUBMITTED: Readonly<Record<NotSubmitted['code'], NotSubmitted>> = {
  'key-missing': { code: 'key-missing' },
  'key-unreadable': { code: 'key-unreadable' },
  'key-invalid': { code: 'key-invalid', setBy: '9' },
  'in-flight': { code: 'in-flight', server },
  'already-submitted': { code: 'already-submitted', servers: [before] },
  'held-back': {
    code: 'held-back',
    outcome: { kind: 'not-sent', reason: 'rate-limited', retryAfterMs: 6_000 },
  },
  'member-limit': { code: 'member-limit', ...limit },
  'guild-limit': { code: 'guild-limit', ...limit },
  'daily-quota': { code: 'daily-quota', ...limit },
  'game-not-allowed': { code: 'game-not-allowed', game: EVIL },
  'waiting-already': { code: 'waiting-already' },
  'host-blocked': { code: 'host-blocked' },
  'member-blocked': { code: 'member-blocked' },
  'member-waiting': { code: 'member-waiting', count: 10 },
  'guild-waiting': { code: 'guild-waiting', count: 100 },
  'waiting-often': { code: 'waiting-often', at: 1_000 },
};

const FAILURES: readonly (Failure | NotApprovedOutcome)[] = [
  ...NOT_SENT_REASONS.map((reason): Failure => ({ kind: 'not-sent', reason })),
  ...NOT_APPROVED_REASONS.map((reason): NotApprovedOutcome => ({ kind: 'not-sent', reason })),
  ...UNKNOWN_REASONS.map((reason): Failure => ({ kind: 'unknown', reason, detail: EVIL })),
  { kind: 'not-sent', reason: 'rate-limited', retryAfterMs: 6_000 },
];
const OUTCOMES: readonly ServerOutcome[] = [
  { kind: 'accepted', message: EVIL },
  { kind: 'rejected', message: EVIL },
  ...(Object.keys(KNOWN_ERRORS) as KnownError[]).map(
    (known): ServerOutcome => ({ kind: 'rejected', message: EVIL, known }),
  ),
  ...FAILURES,
  { kind: 'accepted', message: '' },
];

/** Markup that the bot's own sentences use. */
const OURS = new Set(['inlineCode', 'strong', 'timestamp', 'user', 'blockQuote']);

function expectSentences(texts: readonly (string | undefined)[]): void {
  expect(texts).not.toEqual([]);
  for (const text of texts) {
    // If a key is missing, the result is the key itself.
    expect(text).not.toMatch(/^$|^[\w-]+(?:\.[\w-]+)+$|\{\{|undefined|<@>/);
    expect(
      rendered(text ?? '').active.filter((kind) => !OURS.has(kind)),
      text,
    ).toEqual([]);
  }
}

describe.each(languages)('untrusted markup (in $tag)', ({ locales }) => {
  const t = createWords().wordsFor(locales[0] ?? '');
  const member: Audience = { t, mention: (name) => `/${name}`, isAdmin: false, pages: () => undefined };
  const audiences = [member, { ...member, isAdmin: true }];

  it("isn't rendered in a line's error messages", () => {
    const texts = Object.values(PROBLEMS).flatMap((problem) => Object.values(problemText(problem, t)));
    expectSentences(texts);
  });

  it("isn't rendered in a single server's error messages", () => {
    const near = [{ name: EVIL, alias: EVIL }];
    const typed = { server: EVIL, port: EVIL, queryPort: EVIL, game: EVIL };
    const texts = [true, false].flatMap((isListKnown) =>
      Object.values(PROBLEMS).flatMap((problem) =>
        problemLines(member, { kind: 'invalid', line: 1, problem, typed }, { near, isListKnown }),
      ),
    );
    expectSentences([...texts, typedLine(t, typed, games)]);
  });

  it("isn't rendered in messages about drafts that weren't submitted", () => {
    const reasons = Object.values(NOT_SUBMITTED);
    for (const text of [notSubmittedText, stillWaitingText]) {
      expectSentences(audiences.flatMap((each) => reasons.map((reason) => text(reason, each, games))));
    }
  });

  it("isn't rendered in messages about failed requests", () => {
    const texts = FAILURES.map((failure) => failureText(failure, t));
    expectSentences(texts);
    // Stored outcomes don't say how long a key is paused.
    expect(texts.filter((text) => /<t:\d+:t>/.test(text))).toEqual([texts.at(-1)]);
  });

  it("isn't rendered in outcomes or the history", () => {
    const ended = OUTCOMES.map((outcome) => ({ server, outcome }));
    const texts = audiences.flatMap((each) => [
      ...OUTCOMES.map((outcome) => outcomeText(each, server, outcome)),
      nextStepForKey(each, { code: 'key-invalid', setBy: '9' }),
      keyText({ code: 'key-invalid', setBy: '' }, each),
    ]);
    expectSentences([...texts, ...outcomesForLog(t, ended)]);
    const entry = { ...server, at: 0, userId: '7', userName: EVIL };
    const servers = OUTCOMES.map((outcome) => ({ ...entry, outcome }));
    expectSentences(OUTCOMES.flatMap((outcome) => serverTexts(member, [{ server, outcome }], { games })));
    const counts = { accepted: 1, rejected: 21, 'not-sent': 0, unknown: 2 };
    const submission = {
      id: 'x',
      draftId: 'x',
      at: 0,
      userId: '7',
      userName: EVIL,
      counts,
      decidedBy: '8',
      decidedByName: EVIL,
      correctedBy: '9',
      correctedByName: EVIL,
      correctedFrom: { server: EVIL, port: 1, game: EVIL },
      declineReason: { key: 'rules', words: EVIL } as const,
      only: undefined,
      first: servers[0],
    };
    const entries = [submission, ...servers.map((only) => ({ ...submission, only }))];
    const said = [true, false].flatMap((is) =>
      entries.map((each) =>
        entryText(member, { ...each, state: is ? 'declined' : 'done' }, { number: 1, games, isOwn: is }),
      ),
    );
    const together = [1, 2].map(() => ({ ...submission, state: 'declined' as const }));
    expectSentences([...said, groupText(member, together, { games, isOwn: false })]);
  });

  it("isn't rendered in announcements", () => {
    const row = { kind: 'ready', line: 1, submission: server } as const;
    const ends = OUTCOMES.map((outcome) => ({ row, line: row.line, server: row.submission, outcome }));
    const by = { user: { id: '7', name: EVIL }, servers: ends.slice(0, 2) };
    const said = announcementOf('7', [by], games)?.(t);
    expectSentences([said?.content, said?.embed.description]);
    expect(announcementOf(undefined, [by], games)).toBeUndefined();
    expect(announcementOf('7', [{ ...by, servers: ends.slice(1, 3) }], games)).toBeUndefined();
  });
});
