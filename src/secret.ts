import { inspect } from 'node:util';

/** Characters. Four of fewer are too large a part of a key to be shown to everybody in a log channel. */
const SHORTEST_SHOWN = 12;

/**
 * A value that must not be seen: an API key, the bot token, an interaction token.
 * It prints as `[redacted]` however it is printed, so that only {@link Secret.reveal} can let it out.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that sends or encrypts it. */
  reveal(): string {
    return this.#value;
  }

  /** The last four characters, for people to recognise a key by; none of a key of less than 12. */
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
