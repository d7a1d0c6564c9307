import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import type { UnsyncedWrite } from '../../src/storage/unsynced.ts';
import { allNotified, approve, decline, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { oneBot } from '../support/bot.ts';
import { isOnPostgres } from '../support/database.ts';
import { folder } from '../support/machine.ts';
import {
  addServer,
  deleteName,
  edit,
  lines,
  paste,
  postPanel,
  pressSubmit,
  removeKey,
} from '../support/people.ts';
import { recordWrites } from '../support/writes.ts';

/** The statements that power failures can undo. `unsynced.ts` contains the reasons. */
const UNSYNCED: Readonly<Record<UnsyncedWrite, readonly string[]>> = {
  interaction: ['insert interactions', 'update interactions encrypted'],
  'edit claim': [
    'insert interactions',
    'update interactions message_key',
    'update submissions shown_revision',
  ],
  'job claim': ['insert jobs'],
  pruning: [
    'delete choices',
    'delete drafts',
    'delete interactions',
    'delete servers',
    'delete submissions',
    'delete used',
    'update servers user_id is_forgotten',
  ],
  'health check': ['insert keyv health'],
  reservation: [
    // A retry replaces the unsent servers of the previous attempt.
    'delete servers',
    'delete submissions',
    'insert drafts',
    'insert servers',
    'insert submissions',
    'update servers reserved_at',
    'update submissions channel_id message_id shown_revision',
    'update submissions state decided_by decided_by_name decision_id process_id started_at revision',
    'update submissions state decision_id ended_at revision',
  ],
};

/** Some of the statements that must survive, because a message, a request or a log line follows. */
const SYNCED = [
  // Re-encrypted data, then the former key's id.
  'insert keyv api-key',
  'delete keyv encryption',
  // Members' choices.
  'insert keyv settings',
  'insert keyv untold',
  'delete keyv untold',
  // Requests and their outcomes.
  'update servers sent_at',
  'update servers outcome message reason ended_at',
  // Claims of notices and direct messages.
  'update submissions notified_at',
  'update submissions notice',
  // The revision shown by a moderators' message.
  'update submissions shown_revision channel_id message_id',
  'insert drafts',
];

it.skipIf(isOnPostgres)('with SQLite, the bot syncs writes that must survive a power failure', async () => {
  const writes = recordWrites();
  const httpPort = String(await quietPort());
  const file = join(folder(), 'keys');
  const [former, newest] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  writeFileSync(file, former);
  const bot = await oneBot({ env: { ENCRYPTION_KEY_FILE: file, HTTP_PORT: httpPort } });
  const guild = await bot.newGuild({ key: 'sandbox-key' });
  const { admin, member, discord } = guild;

  await addServer(member, 'direct.example.com:1');
  await edit(member, await addServer(member, 'wrong..example.com:1'), { server: 'right.example.com' });
  await pressSubmit(member, await paste(member, lines(3)));
  await postPanel(guild);
  expect((await fetch(`http://127.0.0.1:${httpPort}/readyz`)).ok).toBe(true);

  await turnApprovalOn(guild);
  await addServer(member, 'approved.example.com:1');
  await approve(guild);
  await addServer(member, 'declined.example.com:1');
  await decline(guild, await waitingIn(guild), 'No.');
  await allNotified(bot, guild);
  // Avoids Discord's rate limit for messages in a channel.
  discord.clock.advance(10_000);
  const waiting = await addServer(member, 'edited.example.com:1');
  await edit(member, waiting, { server: 'edited-again.example.com' });
  for (const state of ['off', 'on']) {
    await member.press(await member.slash('privacy'), `Turn direct messages ${state}`);
  }

  writeFileSync(file, `${newest},${former}`);
  await bot.restart();
  await expect.poll(() => bot.output()).toContain('the old key can be removed');
  await deleteName(member);
  await removeKey(admin);

  const statementsOf = Map.groupBy(writes, ({ kind }) => kind);
  const distinct = (kind: string) =>
    [...new Set(statementsOf.get(kind)?.map(({ statement }) => statement))].toSorted();
  const { synced = [], ...unsynced } = Object.fromEntries(
    [...statementsOf.keys()].map((kind) => [kind, distinct(kind)]),
  );
  expect(unsynced).toEqual(UNSYNCED);
  expect(synced).toEqual(expect.arrayContaining(SYNCED));
});
