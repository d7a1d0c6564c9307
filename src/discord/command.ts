import {
  type APIEmbed,
  type Attachment,
  PermissionFlagsBits,
  type PermissionsBitField,
  type RESTPostAPIApplicationCommandsJSONBody,
  type User,
} from 'discord.js';
import type { ListingPages, Reader, Translate, WordsFor } from '../words/words.ts';
import type { ActionRow, Modal } from './components/controls.ts';

/** What every interaction brings, whatever its kind. No guild, channel or role is in any cache: this is all. */
export interface Context extends Reader {
  /** Unique per interaction; its snowflake also tells when it was made. */
  readonly interactionId: string;
  /** When it came, in milliseconds since 1970; after a crash when it came to the previous run of the bot. */
  readonly receivedAt: number;
  readonly guildId: string;
  readonly channelId: string;
  readonly user: { readonly id: string; readonly name: string };
  /** The member's permissions in this channel, from the payload. */
  readonly permissions: Readonly<PermissionsBitField>;
  /** Discord's name of the member's language, such as `en-US`. */
  readonly locale: string;
  /** Discord's name of the guild's language, for what others read too. */
  readonly guildLocale: string;
  /** Sentences in the guild's language. */
  readonly guildT: Translate;
}

/** The values of a slash command's options; `null` for one that was left out. */
export interface OptionValues {
  getString(name: string): string | null;
  getInteger(name: string): number | null;
  getAttachment(name: string): Attachment | null;
  getUser(name: string): Pick<User, 'id' | 'username'> | null;
}

export interface CommandContext extends Context {
  readonly options: OptionValues;
}

/** A message on which a message command was used. */
export interface MessageContext extends Context {
  /** All that can be read in it: what was written, embeds, a forwarded message. */
  readonly text: string;
}

/** A button that was pressed or a select in which something was chosen. */
export interface PressContext extends Context {
  /** What stands behind `name:action:` in the custom id. */
  readonly argument: string;
  /** The chosen values of a select; empty for a button. */
  readonly values: readonly string[];
  /**
   * Shows how far the work is, in place of the message of the button and without its buttons. Called as often as
   * one likes: most calls show nothing, since the message is changed at most every 2 seconds. Attached files stay.
   * Never fails.
   */
  readonly progress: (reply: Pick<Reply, 'embeds'>) => void;
  /** Aborted when the bot is to stop: finish what is under way, begin nothing more. */
  readonly stopping: AbortSignal;
  /** What was chosen in a select of channels. */
  readonly channels: readonly ChosenChannel[];
  /** The ids of what was chosen in a select of roles. */
  readonly roles: readonly string[];
}

export interface ChosenChannel {
  readonly id: string;
  /** What the bot may do there; `undefined` when Discord did not say. */
  readonly botPermissions: Readonly<PermissionsBitField> | undefined;
}

/** A modal that was submitted. */
export interface SubmitContext extends Context {
  readonly argument: string;
  /** The text of a field by its custom id; empty when it was left empty. */
  readonly field: (id: string) => string;
}

/** What to say. The dispatcher fits it into Discord's limits and sends it; nobody is ever pinged. */
export interface Reply {
  readonly content?: string;
  readonly embeds?: readonly APIEmbed[];
  readonly components?: readonly ActionRow[];
  /** Nothing was done; like a UserError, but with buttons. */
  readonly isRefusal?: true;
  readonly files?: readonly { readonly name: string; readonly data: Buffer }[];
  /** Where it changes a message: files of that stay whose names begin so. Without it none does. */
  readonly keepsFiles?: string;
  /**
   * Said besides, for everybody in the channel, in the guild's language. It goes out with the interaction's token,
   * like the reply, and so needs no permission in the channel.
   */
  readonly announcement?: Pick<Reply, 'content' | 'embeds'>;
}

/**
 * For what submits servers: after a crash it is run once more with the same input, as long as the member's answer can
 * still be edited, and finds out by itself what had been done. Everything else is not run again: the member is asked to.
 */
export type Resumes = true;

/**
 * How the answer to a button, a select or a modal appears, which fixes how it is acknowledged:
 * `update` changes the message it belongs to, `reply` is a new message seen by the member only,
 * `modal` opens a modal and so must do no work first.
 */
export type Handler<Input> = {
  /** Where it takes one that its command does not. */
  readonly permission?: Permission;
} & (
  | {
      readonly answer: 'update' | 'reply';
      readonly resumes?: Resumes;
      run(context: Input): Promise<Reply>;
    }
  | { readonly answer: 'modal'; run(context: Input): Promise<Modal> }
);

export interface Choice {
  readonly name: string;
  readonly value: string;
}

interface CommandParts {
  /** Its name, texts and options. Where it can be used and who sees it is added where it is published. */
  readonly data: RESTPostAPIApplicationCommandsJSONBody & { readonly name: string };
  /** Of the command, and of each of its buttons, selects and modals. */
  readonly permission?: Permission;
  /** Choices for the option being typed: from memory only, since Discord waits 3 seconds and cannot be put off. */
  complete?(context: Context, typed: string, option: string): readonly Choice[];
  /** Buttons and selects by the action in their custom id, `name:action:argument`. No state is kept in memory. */
  readonly presses?: Readonly<Record<string, Handler<PressContext>>>;
  /** Modals by the action in their custom id. Discord allows no modal in answer to a modal. */
  readonly submits?: Readonly<
    Record<string, Extract<Handler<SubmitContext>, { answer: 'update' | 'reply' }>>
  >;
}

/**
 * A slash command, or with `useOn` a message command. `audience` says who sees the answer; the dispatcher
 * acknowledges with it before anything else runs, because Discord fixes it there: `member` alone, or `none` where the
 * command opens a modal and so must do no work first. `run` returns what to say and throws a UserError to refuse.
 */
export type Command = CommandParts &
  (
    | {
        readonly audience: 'member';
        readonly resumes?: Resumes;
        /**
         * `run` reads memory and the store only: its reply is the first response itself, without "thinking…" before
         * it, without files and announcement.
         */
        readonly isAtOnce?: true;
        run(context: CommandContext): Promise<Reply>;
        /** Where a modal is opened in place of running: what makes it. Must do no work, like `none`. */
        opens?(context: CommandContext): (() => Promise<Modal>) | undefined;
      }
    | { readonly audience: 'none'; run(context: CommandContext): Promise<Modal> }
    | { readonly audience: 'member'; useOn(context: MessageContext): Promise<Reply> }
  );

/**
 * What a member must be allowed in the server. The dispatcher asks for it at the command and again at each of its
 * buttons, selects and modals, whatever Discord has shown: Integrations can give a command to anyone, and a message
 * with buttons or a modal can stay open for long.
 */
export type Permission = 'manage-guild';

/** Discord docs: Permissions, "Bitwise Permission Flags". */
export const PERMISSION_BITS = { 'manage-guild': PermissionFlagsBits.ManageGuild } as const;

/** What every answer is made with, whoever reads it. */
export interface Wording {
  readonly wordsFor: WordsFor;
  readonly mention: Context['mention'];
  readonly pages: ListingPages;
}
