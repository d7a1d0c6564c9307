import type { APIEmbed, RESTPostAPIApplicationCommandsJSONBody } from 'discord.js';
import type { ReplyTarget } from '../discord/api.ts';
import type { ChannelMessage } from '../discord/channel-posts.ts';
import type { Choice } from '../discord/limits.ts';
import type { MessagePlace } from '../submissions/submission.ts';
import type { ListingPages } from '../words/listing-pages.ts';
import type { Audience, Translate, WordsFor } from '../words/words.ts';
import type { ActionRow, Modal } from './controls.ts';
import type { GuildWords } from './guild-words.ts';
import type { Interaction, SourceMessage, UploadedFile, UsedControl, UsedMessage } from './interaction.ts';
import type { RefusalReason } from './traces.ts';
import { UserError } from './user-error.ts';

export interface Context
  extends Audience,
    Omit<Interaction, 'id' | 'token' | 'applicationId' | 'isInstalledInGuild' | 'request'> {
  readonly interactionId: string;
  /** Returns translations into the guild's language, for messages that everyone there can read. Never throws. */
  readonly guildWords: () => Promise<Translate>;
  /** The id of the interaction that created the control's message; see `messageWritten`. */
  readonly message: string | undefined;
  /** The channel of the panel whose button was pressed, or whose button opened this modal. */
  readonly panelChannelId: string | undefined;
}

export interface EnteredValues {
  /** Returns the value of an option (by name) or a modal field (by custom id); '' if the member left it empty. */
  readonly field: (id: string) => string;
  readonly file: (id: string) => UploadedFile | undefined;
}

export interface CommandContext extends Context, EnteredValues {}

/** A control's message that the bot posted for everyone in the channel, not as a reply to an interaction. */
export interface PressedPost extends MessagePlace {
  /** The interaction whose token is used to change the message. Only set for `beside` actions. */
  readonly by?: ReplyTarget | undefined;
}

export interface PressContext
  extends Context,
    Pick<
      UsedControl,
      'values' | 'isRoleMentionable' | 'chosenMember' | 'channelPermissions' | 'isFollowable'
    >,
    Pick<SourceMessage, 'shown'> {
  readonly posted: PressedPost | undefined;
  /** The part of the custom id after `name:action:`, which can be forged. */
  readonly argument: string;
  /**
   * Replaces the button's message with progress, keeping the files but not the buttons. Ignores calls during an update and
   * within 2 seconds of its start. Never fails.
   */
  readonly progress: (reply: Pick<Reply, 'content' | 'embeds'>) => void;
  /** Aborted when the bot stops. Actions should then finish their current step and end. */
  readonly stopping: AbortSignal;
}

export interface SubmitContext extends Context, EnteredValues, Pick<PressContext, 'stopping'> {
  readonly argument: string;
  readonly posted: PressedPost | undefined;
  readonly shown: SourceMessage['shown'] | undefined;
}

/** A reply to a member. deliver.ts shortens replies to Discord's limits. Replies never ping anyone. */
export interface Reply {
  readonly content?: string;
  readonly embeds?: readonly APIEmbed[];
  readonly components?: readonly ActionRow[];
  /** Only works for a first response. */
  readonly isPublic?: true;
  /** Whether the action was not carried out, as with a UserError. Unlike a UserError, this reply can have buttons. */
  readonly isUserError?: true;
  /** The reason to log for `isUserError`. Defaults to `command`. */
  readonly refusal?: RefusalReason | undefined;
  /** Whether to keep the original message and files below the reply. The reply's components replace the original ones. */
  readonly keepsMessage?: true;
  readonly files?: readonly { readonly name: string; readonly data: Buffer }[];
  /**
   * An additional public message in the guild's language. If the bot can't post in the interaction's channel, it sends the
   * message with the interaction's token instead.
   */
  readonly announcement?: ((t: Translate) => Announcement) | undefined;
}

export interface Announcement extends Pick<ChannelMessage, 'content' | 'embed' | 'components'> {
  /** Defaults to the interaction's channel. */
  readonly channelId?: string;
}

/** A UserError that also changes the control's message, even if the control would have opened a modal. */
export class OldMessageError extends UserError {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super(reply.content ?? '', reply.refusal);
    this.reply = { ...reply, isUserError: true };
  }
}

/**
 * How a command replies.
 * - `immediate`: the command only reads data, and its reply is the first response. The interaction isn't recorded.
 * - `later`: the command submits or changes something. The interaction is recorded and acknowledged first, and the member
 *   is notified even after a crash.
 * - `modal`: the command opens a modal without doing any other work first, or explains why it can't.
 */
export type ReplyMode = 'immediate' | 'later' | 'modal';

/**
 * How a button, a select or a modal replies. The additional modes change the control's message if only the member can see
 * it:
 * - `immediate update` and `update`: like `immediate` and `later`, but change the message.
 * - `sending`: like `update`, for actions that call the listing service. Until the reply arrives, the message shows that
 *   the bot is sending, without any buttons.
 * - `beside`: like `update`. If everyone can see the message, the action changes the message itself using {@link
 *   PressedPost}. A reply with text is then sent as a separate private message.
 *
 * If an `update` or `sending` action throws, the reason is shown above the message's previous content. The buttons stay
 * unless the error is an OldMessageError. Only `beside` can change a message that everyone can see. In all other modes, the
 * reply is a private message below it.
 */
export type PressReplyMode = ReplyMode | 'update' | 'immediate update' | 'sending' | 'beside';

/**
 * A permission that a member needs in the guild. The dispatcher checks it for the command, and again for each button,
 * select and modal. Discord's own check isn't enough: admins can give anyone access to a command under Integrations, and a
 * modal or a message with buttons can stay open for a long time.
 */
export type Permission = 'manage-guild';

interface Handler<Input, Says> {
  readonly answers: PressReplyMode;
  /** Whether the reply's files need so much memory that only one such reply is built at a time; see answer.ts. */
  readonly isLarge?: true;
  /** Defaults to the command's permission. */
  readonly permission?: Permission;
  /**
   * Finds the commands that the action replaces, from the action's argument. If admins deny all of them to the member under
   * Integrations, the dispatcher rejects the action.
   */
  readonly replaces?: (context: Context & { readonly argument: string }) => Promise<readonly string[]>;
  /** Returns a reply, or a modal if `answers` is `modal`. Throws a UserError to decline the request. */
  run(context: Input): Promise<Says>;
}

export type Press = Handler<PressContext, Reply | Modal>;
/** Handles a submitted modal. It can't return another modal, because Discord doesn't allow that. */
export type Submit = Handler<SubmitContext, Reply>;

/** Stateless handlers for buttons, selects and modals, keyed by the action in the custom id (`name:action:argument`). */
export interface Actions {
  readonly permission?: Permission;
  /** Whether blocked guilds and members can still use the command and its actions, so they can delete their data. */
  readonly isNeverBlocked?: true;
  readonly presses?: Readonly<Record<string, Press>>;
  readonly submits?: Readonly<Record<string, Submit>>;
}

/**
 * A slash command (or a message command, if it has `useOn`), together with the actions that share its name. A command never
 * calls Discord itself. It returns a reply, or throws a UserError to decline the request.
 */
export interface Command extends Actions {
  /** The command's name, texts and options. Contexts and permissions are added when the command is published. */
  readonly data: RESTPostAPIApplicationCommandsJSONBody & { readonly name: string };
  readonly answers: ReplyMode | ((entered: EnteredValues) => ReplyMode);
  run?(context: CommandContext): Promise<Reply | Modal>;
  /**
   * Runs a message command. It always replies as `later`, even if `answers` is different.
   * @param context includes all readable parts of the message: its text, its embeds and any forwarded message
   */
  useOn?(context: Context & UsedMessage): Promise<Reply>;
  /** Returns choices for the option being typed. Must not make network requests, because Discord only waits 3 seconds. */
  complete?(context: Context, typed: string, option: string): Promise<readonly Choice[]>;
}

/** Keyed by name. `actions` don't belong to a command. */
export interface Commands {
  readonly commands: readonly Command[];
  readonly actions: Readonly<Record<string, Actions>>;
}

/** Notifies a guild's admins, in the guild's language. Never throws. */
export type NotifyGuild = (guildId: string, makeText: (t: Translate) => string) => Promise<void>;

export interface Wording {
  readonly wordsFor: WordsFor;
  readonly guildWords: GuildWords;
  readonly mention: Context['mention'];
  readonly pages: ListingPages;
}

export function contextOf(
  interaction: Interaction,
  { wordsFor, guildWords, mention, pages }: Wording,
): Context {
  // Leaves out the token and the application id, because only the code in this folder may use them.
  const { id, token, applicationId, isInstalledInGuild, request, ...member } = interaction;
  const source = 'message' in request ? request.message : undefined;
  return {
    ...member,
    interactionId: id,
    t: wordsFor(member.locale),
    guildWords: () => guildWords(member.guildId, member.guildLocale),
    message: source?.madeBy,
    panelChannelId: source?.isPrivate === false ? member.channelId : undefined,
    mention,
    pages,
  };
}
