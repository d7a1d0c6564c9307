import { inspect } from 'node:util';

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

  /** The last four characters, for people to recognise a key by; fewer when the key is short. */
  lastFour(): string {
    return this.#value.slice(-Math.min(4, Math.floor(this.#value.length / 3)));
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
