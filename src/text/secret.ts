import { createHash } from 'node:crypto';
import { inspect } from 'node:util';

/** Four characters of a shorter key would reveal too much in a log channel. */
const MIN_LENGTH_TO_SHOW_END = 12;

/** A hidden value, such as a key or a token. It is printed as `[redacted]`; only {@link Secret.reveal} exposes it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  lastFour(): string {
    const characters = [...this.#value];
    return characters.length < MIN_LENGTH_TO_SHOW_END ? '' : characters.slice(-4).join('');
  }

  /** Returns a hash of the value, to recognise it in memory. Don't store the hash: a short value could be guessed from it. */
  hash(): string {
    return createHash('sha256').update(this.#value).digest('base64');
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return '[redacted]';
  }
}
