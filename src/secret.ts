import { inspect } from 'node:util';

/**
 * Minimum length of a key whose last four characters can be shown. For a shorter key, four characters in a log channel
 * would reveal too much.
 */
const SHORTEST_SHOWN = 12;

/**
 * A value that must stay hidden, such as an API key, the bot token or an interaction token. It is printed as `[redacted]`,
 * and only {@link Secret.reveal} exposes it.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the actual value, to send or encrypt it. */
  reveal(): string {
    return this.#value;
  }

  /**
   * Returns the last four characters, so that people can recognise a key. Returns '' if the key is shorter than 12
   * characters.
   */
  lastFour(): string {
    const characters = [...this.#value];
    return characters.length < SHORTEST_SHOWN ? '' : characters.slice(-4).join('');
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
