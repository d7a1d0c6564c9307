import { Secret } from '../secret.ts';
import { type Encryption, UndecryptableError } from '../storage/encryption.ts';
import type { Store } from '../storage/store.ts';
import { SEALED_API_KEYS } from './key-record.ts';

const { prefix, field, context } = SEALED_API_KEYS;

/** The key of every guild, one after the other, to compare with. One that does not open is left out. */
export async function* heldKeys(deps: {
  readonly store: Pick<Store, 'entries'>;
  readonly encryption: Pick<Encryption, 'open'>;
}): AsyncGenerator<Secret> {
  for await (const [place, record] of deps.store.entries(prefix)) {
    try {
      yield new Secret(deps.encryption.open(Object(record)[field], context(place.slice(prefix.length))));
    } catch (error) {
      if (!(error instanceof UndecryptableError)) throw error;
    }
  }
}
