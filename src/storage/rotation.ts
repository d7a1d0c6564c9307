import { type Encryption, type SealedKind, UndecryptableError } from './collection.ts';
import type { Database } from './database.ts';
import { EncryptionKeyError, PROOF, readKeyInUse } from './encryption-key.ts';
import type { Store } from './store.ts';

export interface RotationDeps {
  readonly database: Store & Pick<Database, 'keys' | 'erase' | 'tables'>;
  readonly encryption: Encryption;
  /** Every collection with sealed records. */
  readonly collections: readonly SealedKind[];
  /** What the interactions in their table were sealed for. */
  readonly interactionContext: (guildId: string, interactionId: string) => string;
}

export interface RotationResult {
  /** Records that were sealed with a previous key, and are now with the newest. */
  readonly rotated: number;
  /** Records that were sealed with the newest key before. */
  readonly already: number;
  /** The keys of records that could not be opened. While there are any, the previous keys are not forgotten. */
  readonly failed: readonly string[];
}

type Rotation = 'rotated' | 'already' | 'failed' | 'changed' | 'nothing sealed';

/**
 * Seals every record anew with the newest key, one by one: stopped at any moment and begun again it goes on. The
 * bot may run meanwhile, if it seals with the newest key too: a record is replaced only if nobody changed it since
 * it was read, and the walk is repeated until it finds nothing more to do. What the start of the bot demands the
 * previous keys for is removed last.
 * @throws EncryptionKeyError when a running bot seals with another key; nothing is changed
 */
export async function rotate(deps: RotationDeps): Promise<RotationResult> {
  const { database, encryption, collections } = deps;
  const newest = encryption.newestKeyId;
  const inUse = await readKeyInUse(database);
  if (inUse !== undefined && inUse !== newest) throw new EncryptionKeyError(stillInUse(inUse));

  async function rotateOne(key: string, value: unknown): Promise<Rotation> {
    const collection = collections.find(({ name }) => key.startsWith(`${name}:`));
    const { sealed } = Object(value);
    if (collection === undefined || !isSealed(sealed)) {
      // Something sealed that is in no collection would be lost with the previous key.
      return keyIdsIn(value).some((id) => id !== newest) ? 'failed' : 'nothing sealed';
    }
    if (sealed.k === newest) return 'already';
    try {
      const context = collection.context(key.slice(collection.name.length + 1));
      const anew = encryption.seal(encryption.open(sealed, context), context);
      const isDone = await database.replace(key, value, { ...Object(value), sealed: anew });
      return isDone ? 'rotated' : 'changed';
    } catch (error) {
      if (error instanceof UndecryptableError) return 'failed';
      throw error;
    }
  }

  let rotated = 0;
  let already: number | undefined;
  for (;;) {
    const found: Record<Rotation, string[]> = {
      rotated: [],
      already: [],
      failed: [],
      changed: [],
      'nothing sealed': [],
    };
    for await (const [key, value] of database.entries('')) {
      if (!key.startsWith(PROOF)) found[await rotateOne(key, value)].push(key);
    }
    for (const [outcome, key] of await rotateInteractions(deps)) found[outcome].push(key);
    rotated += found.rotated.length;
    already ??= found.already.length;
    if (found.rotated.length > 0 || found.changed.length > 0) continue;
    if (found.failed.length === 0) await forgetPreviousKeys(database, newest);
    return { rotated, already, failed: found.failed };
  }
}

async function rotateInteractions({
  database: { tables },
  encryption,
  interactionContext,
}: RotationDeps): Promise<readonly (readonly [Rotation, string])[]> {
  const rows = await tables.selectFrom('interactions').selectAll().where('sealed', 'is not', null).execute();
  const ended: (readonly [Rotation, string])[] = [];
  for (const { id, guild_id, sealed } of rows) {
    const name = `interaction ${id}`;
    try {
      const record: unknown = JSON.parse(sealed ?? '');
      if (Object(record).k === encryption.newestKeyId) {
        ended.push(['already', name]);
        continue;
      }
      const context = interactionContext(guild_id, id);
      const anew = JSON.stringify(encryption.seal(encryption.open(record, context), context));
      const { numUpdatedRows } = await tables
        .updateTable('interactions')
        .set({ sealed: anew })
        .where('id', '=', id)
        .where('sealed', '=', sealed)
        .executeTakeFirst();
      ended.push([numUpdatedRows === 1n ? 'rotated' : 'changed', name]);
    } catch (error) {
      if (!(error instanceof UndecryptableError || error instanceof SyntaxError)) throw error;
      ended.push(['failed', name]);
    }
  }
  return ended;
}

async function forgetPreviousKeys(database: RotationDeps['database'], newest: string): Promise<void> {
  const previous: string[] = [];
  for await (const key of database.keys(PROOF)) if (key !== PROOF + newest) previous.push(key);
  await database.erase(async () => {
    for (const key of previous) await database.delete(key);
  });
}

function isSealed(value: unknown): value is { readonly k: string } {
  const { v, k, iv, data, tag } = Object(value);
  return typeof v === 'number' && [k, iv, data, tag].every((part) => typeof part === 'string');
}

/** The ids of the keys of everything sealed in a value, however deep. */
function keyIdsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return isSealed(value) ? [value.k] : Object.values(value).flatMap(keyIdsIn);
}

function stillInUse(id: string): string {
  return (
    `the bot is running with another first key (its id is ${id}), or ended without notice: start it once with this ` +
    'ENCRYPTION_KEY, and run this again while it runs or after it has stopped. Nothing was changed.'
  );
}
