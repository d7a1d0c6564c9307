import { expect, it } from 'vitest';
import { setKey } from '../../commands/setkey.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import type { Secret } from '../../src/text/secret.ts';
import { anyContext, onlyDeps } from './context.ts';

it('/setkey confirms that it has saved the key, even if the store then fails', async () => {
  const done: string[] = [];
  const command = setKey(
    onlyDeps({
      keyTrials: { run: async () => ({ kind: 'games', games: [], unusable: [], leftOut: 0 }) },
      games: { accept: async () => undefined },
      keys: {
        status: async () => undefined,
        async set(_: string, key: Secret) {
          done.push(key.reveal());
          return true;
        },
      },
      guildLog: { add: async () => undefined },
      settings: { getOrThrow: () => Promise.reject(new StoreError('cannot read settings')) },
      panels: { of: async () => [] },
      drafts: { find: () => Promise.reject(new StoreError('cannot read drafts')) },
    }),
  );
  const reply = await command.submits?.save?.run(
    anyContext({ argument: '5', field: () => ' a-key-of-some-length ' }),
  );
  expect(done).toEqual(['a-key-of-some-length']);
  expect(reply?.content).toContain('works and has been saved');
});
