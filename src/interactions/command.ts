import type { APIEmbed, RESTPostAPIApplicationCommandsJSONBody } from 'discord.js';
import type { ReplyTarget } from '../discord/api.ts';
import type { ChannelMessage } from '../discord/channel-posts.ts';
import type { Choice } from '../discord/limits.ts';
import type { MessagePlace } from '../submissions/submissions.ts';
import { UserError } from '../user-error.ts';
import type { ListingPages } from '../words/listing-pages.ts';
import type { Audience, Translate, WordsFor } from '../words/words.ts';
import type { ActionRow, Modal } from './controls.ts';
import type { GuildWords } from './guild-words.ts';
import type { Interaction, SourceMessage, UploadedFile, UsedControl, UsedMessage } from './interaction.ts';

/** The data that every kind of interaction has, and words in the member's language. */
export interface Context
  extends Audience,
    Omit<Interaction, 'id' | 'token' | 'applicationId' | 'isInstalledInGuild' | 'request'> {
  readonly interactionId: string;
  /** Returns words for texts that everyone in the guild reads, such as an announcement. Never throws. */
  readonly guildWords: () => Promise<Translate>;
  /** The message that the control belongs to, identified by the interaction that created it; see `messageWritten`. */
  readonly message: string | undefined;
  /** The channel of the panel, if a panel's button was pressed or opened this modal. */
  readonly panelChannelId: string | undefined;
}

/** The values entered in a slash command's options or a modal's fields. */
export interface EnteredValues {
  /**
   * Returns the typed or chosen value of an option (by its name) or of a field (by its custom id); empty if the member left
   * it empty.
   */
  readonly field: (id: string) => string;
  readonly file: (id: string) => UploadedFile | undefined;
}

export interface CommandContext extends Context, EnteredValues {}

/** The message that a control belongs to, if it isn't a reply to an interaction. Everyone in its channel sees it. */
export interface PressedPost extends MessagePlace {
  /** The interaction whose token changes the message, if the action answers `beside`. */
  readonly by?: ReplyTarget | undefined;
}

/** A pressed button, or a select in which a member chose something. */
export interface PressContext
  extends Context,
    Pick<UsedControl, 'values' | 'isRoleMentionable' | 'channelPermissions' | 'isFollowable'>,
    Pick<SourceMessage, 'shown'> {
  readonly posted: PressedPost | undefined;
  /** The part of the custom id after `name:action:`. It may be forged. */
  readonly argument: string;
  /**
   * Shows progress in place of the button's message, without its buttons. Attached files stay. Can be called any number of
   * times, but changes the message at most every 2 seconds. Never fails.
   */
  readonly progress: (reply: Pick<Reply, 'content' | 'embeds'>) => void;
  /** Aborted when the bot has to stop. Actions then finish their current work, and don't start any more. */
  readonly stopping: AbortSignal;
}

/** A submitted modal. */
export interface SubmitContext extends Context, EnteredValues {
  readonly argument: string;
  readonly posted: PressedPost | undefined;
  /** The content of the message whose button opened the modal. */
  readonly shown: SourceMessage['shown'] | undefined;
}

/** A reply to a member. deliver.ts shortens it to Discord's limits and sends it. It never pings anyone. */
export interface Reply {
  readonly content?: string;
  readonly embeds?: readonly APIEmbed[];
  readonly components?: readonly ActionRow[];
  /**
   * Whether everyone in the channel sees it, which requires that it is the first response. Otherwise only the member sees
   * it.
   */
  readonly isPublic?: true;
  /** Whether the action wasn't carried out, as with a UserError. Unlike an error, the reply can have buttons. */
  readonly isUserError?: true;
  /**
   * Whether the button's message stays below the reply, with its files. The components of the reply replace those of the
   * message.
   */
  readonly keepsMessage?: true;
  readonly files?: readonly { readonly name: string; readonly data: Buffer }[];
  /**
   * An additional message for everyone in a channel, in the guild's language. If the bot can't post in the interaction's
   * channel, it sends the message with the interaction's token, like the reply.
   */
  readonly announcement?: ((t: Translate) => Announcement) | undefined;
}

export interface Announcement extends Pick<ChannelMessage, 'content' | 'embed' | 'components'> {
  /** The channel to post it in. If absent, it is posted in the interaction's channel. */
  readonly channelId?: string;
}

/** An error that replaces the message's buttons with its own. */
export class OldMessageError extends UserError {
  readonly reply: Reply;
  constructor(content: string, components: readonly ActionRow[]) {
    super(content);
    this.reply = { content, components, isUserError: true, keepsMessage: true };
  }
}

/**
 * How a command replies.
 * - `immediate`: it only reads, and its reply is the first response. It isn't recorded.
 * - `later`: it submits or changes something. It is recorded and acknowledged first, and the member is notified after a
 *   crash.
 * - `modal`: it opens a modal or says why it can't, so it does no work first.
 */
export type ReplyMode = 'immediate' | 'later' | 'modal';

/**
 * How a button, a select or a modal replies. The modes below change its message if only its member sees that message:
 * - `immediate update` and `update`: like `immediate` and `later`.
 * - `sending`: like `update`, but until the reply, the message has no buttons and explains that the bot is sending. For
 *   actions that call the listing service.
 * - `beside`: like `update`. If everyone sees the message, the action changes it itself, with {@link PressedPost}. Its
 *   reply is then a private message next to it, or nothing if the reply is empty.
 * If `update` or `sending` throws, the reason is shown above the message's previous content. The buttons stay, unless an
 * OldMessageError was thrown. The other modes never change a message that everyone sees. Their reply is a private message
 * below it.
 */
export type PressReplyMode = ReplyMode | 'update' | 'immediate update' | 'sending' | 'beside';

/**
 * A permission that a member needs in the guild. The dispatcher checks it for the command, and again for each of its
 * buttons, selects and modals, whatever Discord has shown. Admins can give anyone a command under Integrations, and a
 * message with buttons or a modal can stay open for a long time.
 */
export type Permission = 'manage-guild';

interface Handler<Input, Says> {
  readonly answers: PressReplyMode;
  /** Whether its files need so much memory that the process builds only one such reply at a time; see answer.ts. */
  readonly isLarge?: true;
  /** The permission for this action, if its command doesn't need one. An action never needs less than its command. */
  readonly permission?: Permission;
  /** Returns a modal if `answers` is `modal`, otherwise a reply. Throws a UserError to decline the request. */
  run(context: Input): Promise<Says>;
}

export type Press = Handler<PressContext, Reply | Modal>;
/** Handles a submitted modal. Discord doesn't allow a modal in response to a modal. */
export type Submit = Handler<SubmitContext, Reply>;

/**
 * Handlers of buttons, selects and modals, by the action in their custom id, `name:action:argument`. They don't keep state
 * in memory.
 */
export interface Actions {
  /** The permission for all of them and for their command. */
  readonly permission?: Permission;
  /**
   * Whether they work even if the operator has blocked the guild or the member, so that blocked users can delete their
   * data.
   */
  readonly isNeverBlocked?: true;
  readonly presses?: Readonly<Record<string, Press>>;
  /** The handlers of submitted modals. */
  readonly submits?: Readonly<Record<string, Submit>>;
}

/**
 * A slash command, or a message command if it has `useOn`, and the actions named after it. It never calls Discord. It
 * returns a reply, or throws a UserError to decline the request.
 */
export interface Command extends Actions {
  /** The name, texts and options. Publishing adds where the command can be used and who can see it. */
  readonly data: RESTPostAPIApplicationCommandsJSONBody & { readonly name: string };
  readonly answers: ReplyMode | ((entered: EnteredValues) => ReplyMode);
  run?(context: CommandContext): Promise<Reply | Modal>;
  /** @param context includes everything readable in the message: its text, embeds and a forwarded message */
  useOn?(context: Context & UsedMessage): Promise<Reply>;
  /**
   * Returns choices for the option that the member is typing. Must not use the network, because Discord waits only 3
   * seconds and autocomplete can't be deferred.
   */
  complete?(context: Context, typed: string, option: string): Promise<readonly Choice[]>;
}

/** All commands, and the actions without a command, by their name. */
export interface Commands {
  readonly commands: readonly Command[];
  readonly actions: Readonly<Record<string, Actions>>;
}

/** Notifies a guild's admins, in the guild's language. Never throws. */
export type NotifyGuild = (guildId: string, makeText: (t: Translate) => string) => Promise<void>;

/** The words and links that are used to build replies. */
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
  // Only this folder can use the token and the application id.
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
