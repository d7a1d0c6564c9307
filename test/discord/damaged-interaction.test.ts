import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createUnanswered, type UnansweredDeps } from '../../src/discord/unanswered.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { openStore, recorder } from '../storage/temporary.ts';

it('the log says nothing of what an interaction holds that cannot be read', async () => {
  const store = await openStore();
  const logger = recorder();
  const notNeeded = {} as Pick<UnansweredDeps, 'api' | 'writers' | 'wording' | 'reportOf' | 'tellGuild'>;
  const endSubmissions = async () => undefined;
  const encryption = createEncryption([randomBytes(32)]);
  const row = { id: '1', guild_id: '2', owner: 'dead', taken_at: 0, sealed: 'held' };
  await store.tables().insertInto('interactions').values(row).execute();

  await createUnanswered({
    ...notNeeded,
    store,
    owner: 'alive',
    encryption,
    endSubmissions,
    logger,
  }).takeOver();

  expect(logger.lines).toMatchObject([{ level: 'error', details: { interactionId: '1' } }]);
  expect(logger.lines[0]?.details).not.toHaveProperty('err');
});
