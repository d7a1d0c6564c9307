import { expect, it } from 'vitest';
import { laterReplies } from '../../commands/submit/after-crash.ts';
import { reportReply } from '../../commands/submit/report.ts';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import type { Row } from '../../src/server-lists/row.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import { Secret } from '../../src/text/secret.ts';
import { invalidRow, openPipeline, readyRow } from '../support/builders.ts';
import { anyContext, onlyDeps } from './context.ts';

const games = indexGames(KNOWN_GAMES);

async function submitted(rows: readonly Row[], source: Draft['source']) {
  const opened = await openPipeline({
    member: { servers: 4, seconds: 3_600 },
    add: ([server]) => {
      if (server?.server === 'bad')
        return { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
      return server?.server === 'lost'
        ? { kind: 'unknown', reason: 'reset' }
        : { kind: 'accepted', message: 'Yes.' };
    },
  });
  const context = anyContext({ guildId: '1', interactionId: 'i' });
  await opened.keys.set('1', new Secret('a key'), { by: { id: '9', name: 'Ada' } });
  await opened.drafts.save(context, { id: 'd', source, rows });
  const ended = await opened.pipeline.submit({ ...context, id: 'd' });
  if (ended.kind !== 'ended') throw new Error('nothing was submitted');
  return {
    context,
    ended,
    deps: onlyDeps({ ...opened, games, decisionMessages: { wantsDirectMessages: async () => true } }),
  };
}

/** Returns the usual reply to a submission, and the reply after a crash. */
async function bothReplies(rows: readonly Row[], source: Draft['source']) {
  const { context, ended, deps } = await submitted(rows, source);
  return {
    reply: await reportReply(context, ended, deps),
    afterCrash: await laterReplies(deps).reportOf(context, 'member'),
  };
}

it.each([
  ['options', 'one server', [readyRow(1, 'lost')]],
  ['options', 'one server, with a rejected key', [readyRow(1, 'bad')]],
  [
    'text',
    'a list with invalid lines, repeated lines and lines that exceed a limit',
    [
      ...[2, 3, 4, 5, 6].map((line) => readyRow(line, `s${line}`)),
      invalidRow(7),
      { kind: 'repeated', line: 8, firstLine: 2, submission: readyRow(2, 's2').submission },
    ],
  ],
] as const)('members get the same report whether or not the bot crashes: %s, %s', async (source, _, rows) => {
  const { reply, afterCrash } = await bothReplies(rows, source);
  expect(afterCrash).toEqual(reply);
  expect(reply.content).not.toBe('');
});

it('if the bot crashes after a button press, the reply shows the current draft', async () => {
  const { context, deps } = await submitted([readyRow(1, 'a')], 'options');
  const pressed = { ...context, interactionId: 'j' };
  expect(await laterReplies(deps).reportOf(pressed, 'member')).toBeUndefined();
  for (const control of ['submit:send:d', 'submit:send:d:12', 'submit:fields:d:run#a1b2c3']) {
    const reply = await laterReplies(deps).stateOfDraft(pressed, control);
    expect(reply?.content).toMatch(/interrupted before.*✅ Sent for review\. “Yes\.”/s);
  }
  expect(await laterReplies(deps).stateOfDraft(pressed, 'submit:send:another')).toBeUndefined();
  const other = { ...pressed, user: { id: '99', name: 'eve' } };
  expect(await laterReplies(deps).stateOfDraft(other, 'submit:send:d')).toBeUndefined();
});
