import type { Part } from '../lifecycle.ts';
import type { Database } from './database.ts';
import type { Encryption } from './encryption.ts';

/** Where the id of the key is that the running bot seals with. */
const IN_USE = 'encryption:in-use';

/**
 * Says in the store which key the bot seals with while it runs. It stays when the bot ends without notice, so it
 * may say too much, but never too little. To be started after the encryption.
 */
export function keyInUse(deps: {
  readonly database: Pick<Database, 'get' | 'set' | 'delete'>;
  readonly encryption: Pick<Encryption, 'newestKeyId'>;
}): Part {
  const { database, encryption } = deps;
  return {
    name: 'key in use',
    start: () => database.set(IN_USE, encryption.newestKeyId),
    async stop() {
      await database.delete(IN_USE);
    },
  };
}

/** The id of the key that a running bot seals with; `undefined` when none runs. */
export async function readKeyInUse(database: Pick<Database, 'get'>): Promise<string | undefined> {
  const id = await database.get(IN_USE);
  return id === undefined ? undefined : String(id);
}
