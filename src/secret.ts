import { inspect } from 'node:util';

/**
 * The minimum length of a key whose last four characters are shown. Four characters of a shorter key would reveal too
 * much of it in a log channel.
 */
const SHORTEST_SHOWN = 12;

/**
 * A value that must stay hidden: an API key, the bot token, an interaction token. It always prints as `[redacted]`, so only
 * {@link Secret.reveal} exposes it.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value itself, for the one place that sends or encrypts it. */
  reveal(): string {
    return this.#value;
  }

  /** Returns the last four characters, so that people can recognise a key; '' if the key is shorter than 12. */
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
