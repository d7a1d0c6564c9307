import type { ChatInputCommandInteraction } from 'discord.js';
import type { Secret } from '../secret.ts';
import type { Context, OptionValues } from './command.ts';

/** What was asked for, where doing it again after a crash is right. */
export type Work =
  | { readonly command: string; readonly options: Readonly<Record<string, string | number>> }
  | {
      readonly command: string;
      readonly action: string;
      readonly argument: string;
      readonly values: readonly string[];
    };

/** All it takes to answer an interaction after the process that took it has died. */
export interface Remembered {
  readonly interactionId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly user: Context['user'];
  /** A bit set as a decimal number, as Discord sends it. */
  readonly permissions: string;
  readonly locale: string;
  readonly guildLocale: string;
  readonly token: Secret;
  /** How it was acknowledged: with a message of its own, or to change the one its button is on. */
  readonly shape: 'reply' | 'update';
  /** Only the member sees the answer. */
  readonly isPrivate: boolean;
  readonly work?: Work;
}

/** Keeps interactions from before they are acknowledged until they are answered, over a crash. */
export interface Memory {
  /** False when this very interaction is kept already: it was delivered twice. */
  remember(interaction: Remembered): Promise<boolean>;
  /** It is answered, or can no longer be. */
  forget(interaction: Pick<Remembered, 'guildId' | 'interactionId' | 'shape'>): Promise<void>;
}

/** An interaction that a former run of the bot has not answered. */
export interface Pending {
  readonly interaction: Remembered;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What became of it, for the member; absent when nothing was done yet. */
  readonly report?: (context: Context) => string;
}

/** The options of a command as they can be kept: texts and numbers, no files. */
export function optionsToKeep(
  options: ChatInputCommandInteraction['options'],
): Readonly<Record<string, string | number>> {
  return Object.fromEntries(
    options.data.flatMap(({ name, value }) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [],
    ),
  );
}

export function keptOptions(options: Readonly<Record<string, string | number>>): OptionValues {
  const value = (name: string) => (Object.hasOwn(options, name) ? options[name] : undefined);
  return {
    getString: (name) => {
      const text = value(name);
      return typeof text === 'string' ? text : null;
    },
    getInteger: (name) => {
      const number = value(name);
      return typeof number === 'number' ? number : null;
    },
    getAttachment: () => null,
    getUser: () => null,
  };
}
