import { describe, expect, it } from 'vitest';
import { submissionsCommand } from '../../commands/submissions/command.ts';
import { submitActions } from '../../commands/submit/actions.ts';
import { notSubmittedButtons } from '../../commands/submit/repairs.ts';
import { submitMessage } from '../../commands/submit-message.ts';
import { modalFields } from '../../sandbox/discord/client/modal-form.ts';
import { DEFAULTS } from '../../src/guilds/settings.ts';
import type { Reply } from '../../src/interactions/command.ts';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import type { ServerOutcome } from '../../src/submissions/outcome.ts';
import { notSubmittedText } from '../../src/words/not-submitted.ts';
import { outcomeText } from '../../src/words/outcomes.ts';
import { fromText } from '../../src/words/sentences.ts';
import { checkedDraft, readyRow } from '../support/builders.ts';
import { anyContext, onlyDeps } from './context.ts';

const games = {
  ...indexGames(KNOWN_GAMES),
  isFresh: () => true,
  refresh: async () => undefined,
  refreshSoon: () => undefined,
};
const settings = { getOrThrow: async () => DEFAULTS, getOrUnreadable: async () => DEFAULTS };
const suggestions = { allowed: async () => games.all, games: async () => games.all };
const labelsOf = ({ components = [] }: Reply) =>
  components.flatMap((row) => row.components.map((each) => Object(each).label));

describe('the edit form of a waiting submission', () => {
  it("is prefilled with the member's rejected input", async () => {
    let draft: Draft = { id: 'd', source: 'options', rows: [readyRow(1, 'a.example.com')] };
    const submission = {
      id: 'run',
      draftId: 'd',
      userId: '4',
      state: 'waiting',
      needsModerator: true,
      servers: [{ line: 1, server: readyRow(1, 'a.example.com').submission }],
    };
    const actions = submitActions(
      onlyDeps({
        games,
        settings,
        suggestions,
        keys: { problem: async () => undefined },
        completeRows: async (rows: unknown) => rows,
        approvals: { draft: async () => draft, waitingAgain: async () => 0 },
        drafts: { read: async () => draft },
        approvalMessages: { show: async () => undefined },
        draftEditor: {
          keepTyped: async (...[, , typed]: [0, 0, Draft['typed']]) =>
            (draft = { ...draft, ...(typed && { typed }) }),
        },
        submissions: {
          latest: async () => submission,
          latestId: async () => 'run',
          earlier: async () => [],
        },
        history: { includesFirstAccepted: async () => false },
        decisionMessages: { wantsDirectMessages: async () => false },
      }),
    );
    const typed = { game: 'Rust', server: 'b.example.com', port: '99999', query_port: '1' };
    const context = anyContext({ argument: 'd:run', field: (name) => Object(typed)[name] ?? '' });
    const refused = await actions.submits?.changed?.run(context);
    expect(refused?.content).toContain('Not changed: port');
    const modal = Object(await actions.presses?.change?.run(anyContext({ argument: 'd' })));
    const values = Object.fromEntries(modalFields(modal).map(({ id, value }) => [id, value]));
    expect(values).toMatchObject({ server: 'b.example.com', port: '99999', query_port: '1' });
  });
});

describe('the reply to "Submit again"', () => {
  it.each([
    [{ code: 'held-back', outcome: { kind: 'not-sent', reason: 'queue-full' } }],
    [{ code: 'key-missing' }],
  ])('shows when the button was pressed if submitting is still not possible: %o', async (why) => {
    const checked = checkedDraft({ id: 'd', source: 'options', rows: [readyRow(1, 'a.example.com')] });
    const actions = submitActions(
      onlyDeps({ games, pipeline: { submit: async () => ({ kind: 'held', why, checked }) } }),
    );
    const press = (argument: string, content = '') =>
      actions.presses?.send?.run(
        anyContext({ argument, receivedAt: 5_000, shown: { content, embeds: [], components: [] } }),
      );
    const again = Object(await press('d'));
    expect(again.content).toMatch(/^Still not possible at <t:5:T>:\n⚠️ Not sent\./);
    // The first press.
    const { content } = Object(await press('d:1'));
    expect(content).not.toContain('Still');
    for (const shown of [content, again.content]) {
      expect(Object(await press('d:1', shown)).content).toBe(`Still not possible at <t:5:T>:\n${content}`);
    }
  });

  it('shows when the next attempt is possible while the listing service is down', async () => {
    const outcome = { kind: 'not-sent', reason: 'down', retryAfterMs: 20_000 } as const;
    expect(notSubmittedText({ code: 'held-back', outcome }, anyContext(), games)).toMatch(
      /^⚠️ Not sent\. .* failed several times, so the bot didn't contact it\. You can try again from <t:\d+:t>\.$/,
    );
  });

  it.each([
    ['Tried again', { kind: 'not-sent', reason: 'unreachable' }, 'send'],
    ['Tried again', { kind: 'unknown', reason: 'timeout' }, 'anyway'],
    ['Still not possible', { kind: 'not-sent', reason: 'down' }, 'send'],
  ])('starts with "%s" if the outcome is still %o', async (note, outcome, action) => {
    const row = readyRow(1, 'a.example.com');
    const ended = {
      kind: 'ended',
      draft: { id: 'd', source: 'options', rows: [row] },
      servers: [{ row, line: 1, server: row.submission, outcome }],
      limitedRows: [],
      isLeft: true,
      isRecorded: true,
    };
    const actions = submitActions(onlyDeps({ games, pipeline: { submit: async () => ended } }));
    const press = (content: string) =>
      actions.presses?.[action]?.run(
        anyContext({ argument: 'd', receivedAt: 5_000, shown: { content, embeds: [], components: [] } }),
      );
    const text = outcomeText(anyContext(), row.submission, outcome as ServerOutcome);
    expect(Object(await press(text)).content).toBe(`${note} at <t:5:T>:\n${text}`);
  });
});

describe('an error reply', () => {
  it('has only an Edit button if the daily quota is used up', () => {
    const until = Date.now() + 22 * 3_600_000;
    const reason = { code: 'daily-quota', limit: 25, until, isSoon: false } as const;
    const labels = notSubmittedButtons(anyContext().t, 'd', reason).map((each) => Object(each).label);
    expect(labels).toEqual(['Edit']);
    expect(fromText(until)).toMatch(/^<t:\d+>$/);
  });

  it("offers a form if the message doesn't contain an address", async () => {
    const { useOn } = submitMessage(
      onlyDeps({ games, settings, completeRows: async (rows: unknown) => rows }),
    );
    const reply = Object(await useOn?.({ ...anyContext(), text: 'come and join', files: [] }));
    expect(reply).toMatchObject({ content: expect.stringContaining('No game server'), isUserError: true });
    expect(labelsOf(reply)).toEqual(['Submit a game server']);
  });

  it.each([
    ['nothing matches', true, { server: 'nothing.like' }, '**Only:** `nothing.like`\nNo submissions match.'],
    [
      "the user asks for another member's submissions",
      false,
      { member: '7' },
      'You can only see your own submissions.',
    ],
  ])('has a "My submissions" button if %s', async (_, isAdmin, options, content) => {
    const history = { find: async () => [], games: async () => new Set() };
    const approvals = { waiting: async () => [], countWaiting: async () => 0 };
    const { run } = submissionsCommand(onlyDeps({ history, games, settings, approvals }));
    const field = (name: string) => Object(options)[name] ?? '';
    const reply = Object(await run?.(anyContext({ isAdmin, field })));
    expect(reply).toMatchObject({ content, isUserError: true });
    expect(labelsOf(reply)).toEqual(['My submissions']);
  });
});
