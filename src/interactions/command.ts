import type { APIEmbed, RESTPostAPIApplicationCommandsJSONBody } from 'discord.js';
import type { ReplyTarget } from '../discord/api.ts';
import type { ChannelMessage } from '../discord/channel-posts.ts';
import type { MessagePlace } from '../submissions/submissions.ts';
import { UserError } from '../user-error.ts';
import type { ListingPages } from '../words/listing-pages.ts';
import type { Audience, Translate, WordsFor } from '../words/words.ts';
import type { ActionRow, Modal } from './controls.ts';
import type { GuildWords } from './guild-words.ts';
import type { Interaction, SourceMessage, UploadedFile, UsedControl, UsedMessage } from './interaction.ts';

/** What every kind of interaction brings, and the words for its member. */
export interface Context
  extends Audience,
    Omit<Interaction, 'id' | 'token' | 'applicationId' | 'isInstalledInGuild' | 'request'> {
  readonly interactionId: string;
  /** The words for what everybody in the guild reads, such as an announcement. Never throws. */
  readonly guildWords: () => Promise<Translate>;
  /** The message of the control, by the interaction whose reply it is; see `messageWritten`. */
  readonly message: string | undefined;
  /** The channel of the panel whose button was pressed, also where that has opened the modal. */
  readonly panelChannelId: string | undefined;
}

/** What was entered in the options of a slash command, or in the fields of a modal. */
export interface EnteredValues {
  /** What was typed or chosen, by the option's name or the field's custom id; empty when it was left empty. */
  readonly field: (id: string) => string;
  /** The file that was uploaded there. */
  readonly file: (id: string) => UploadedFile | undefined;
}

export interface CommandContext extends Context, EnteredValues {}

/** The message whose control was used, where it answers no interaction, so that everybody in its channel sees it. */
export interface PressedPost extends MessagePlace {
  /** Whose token changes the message, where the action answers `beside`. */
  readonly by?: ReplyTarget | undefined;
}

/** A button that was pressed or a select in which something was chosen. */
export interface PressContext
  extends Context,
    Pick<UsedControl, 'values' | 'isRoleMentionable' | 'channelPermissions' | 'isFollowable'>,
    Pick<SourceMessage, 'shown'> {
  readonly posted: PressedPost | undefined;
  /** What stands behind `name:action:` in the custom id. Anybody could have written it. */
  readonly argument: string;
  /**
   * Shows how far the work is, in place of the message of the button and without its buttons. Called as often as
   * one likes: most calls show nothing, since the message is changed at most every 2 seconds. Attached files stay.
   * Never fails.
   */
  readonly progress: (reply: Pick<Reply, 'content' | 'embeds'>) => void;
  /** Aborted when the bot is to stop: finish what is under way, begin nothing more. */
  readonly stopping: AbortSignal;
}

/** A modal that was submitted. */
export interface SubmitContext extends Context, EnteredValues {
  readonly argument: string;
  readonly posted: PressedPost | undefined;
  /** What the message of the button showed that has opened it. */
  readonly shown: SourceMessage['shown'] | undefined;
}

/** What the member reads. deliver.ts fits it into Discord's limits and sends it; nobody is ever pinged. */
export interface Reply {
  readonly content?: string;
  readonly embeds?: readonly APIEmbed[];
  readonly components?: readonly ActionRow[];
  /** For everybody in the channel, where it is the first response; a reply is seen by its member alone otherwise. */
  readonly isPublic?: true;
  /** Nothing was done; like a UserError, but with buttons. */
  readonly isRefusal?: true;
  /** The message of the button stays below it, with its files; these components are in place of its own. */
  readonly keepsMessage?: true;
  readonly files?: readonly { readonly name: string; readonly data: Buffer }[];
  /**
   * Said besides, for everybody in a channel, in the guild's language. Where the bot may not post in the channel of the
   * interaction, it goes out with the interaction's token, like the reply.
   */
  readonly announcement?: ((t: Translate) => Announcement) | undefined;
}

export interface Announcement extends Pick<ChannelMessage, 'content' | 'embed' | 'components'> {
  /** Where it is said; absent: in the channel of the interaction. */
  readonly channelId?: string;
}

/** A refusal that leaves the message no buttons but these. */
export class OldMessage extends UserError {
  readonly reply: Reply;
  constructor(content: string, components: readonly ActionRow[]) {
    super(content);
    this.reply = { content, components, isRefusal: true, keepsMessage: true };
  }
}

/**
 * How a command answers.
 * - `immediate`: it only reads, and its reply is the first response. Nothing is recorded.
 * - `later`: it submits or changes something. It is recorded and acknowledged first, and told about after a crash.
 * - `modal`: it opens a modal, or says why not, and so does no work first.
 */
export type ReplyMode = 'immediate' | 'later' | 'modal';

/**
 * How a button, a select or a modal answers. These change the message that it belongs to, which its member alone sees:
 * - `immediate update` and `update`: as `immediate` and `later`.
 * - `sending`: as `update`; meanwhile the message says so, without its buttons. For what asks the listing service.
 * - `beside`: as `update`. Where everybody sees the message, the action has it changed itself, with {@link PressedPost}; its
 *   reply is a private message beside it, and none where it says nothing.
 *
 * If `update` or `sending` throws, the reason stands above the message as it was when it was pressed, with its buttons unless
 * an OldMessage was thrown. By the others a message that everybody sees is never changed: the reply is a private one below it.
 */
export type PressReplyMode = ReplyMode | 'update' | 'immediate update' | 'sending' | 'beside';

/**
 * What a member must be allowed in the server. The dispatcher asks for it at the command and again at each of its
 * buttons, selects and modals, whatever Discord has shown: Integrations can give a command to anyone, and a message
 * with buttons or a modal can stay open for long.
 */
export type Permission = 'manage-guild';

interface Handler<Input, Says> {
  readonly answers: PressReplyMode;
  /** Its files take so much memory that the process makes one such reply after the other: see answer.ts. */
  readonly isLarge?: true;
  /** What this action needs, if its command needs none. No action needs less than its command. */
  readonly permission?: Permission;
  /** Says what to say, and throws a UserError to refuse. A `modal` returns a modal, everything else a reply. */
  run(context: Input): Promise<Says>;
}

export type Press = Handler<PressContext, Reply | Modal>;
/** Of a modal that was sent off, which Discord calls to submit it. Discord allows no modal in answer to a modal. */
export type Submit = Handler<SubmitContext, Reply>;

export interface Choice {
  readonly name: string;
  readonly value: string;
}

/** Buttons, selects and modals by the action in their custom id, `name:action:argument`. No state is kept in memory. */
export interface Actions {
  /** Of each of them, and of their command. */
  readonly permission?: Permission;
  /** Works also if the operator has blocked the guild or the member, so that data can be deleted. */
  readonly isNeverBlocked?: true;
  readonly presses?: Readonly<Record<string, Press>>;
  /** Of modals. */
  readonly submits?: Readonly<Record<string, Submit>>;
}

/**
 * A slash command, or with `useOn` a message command, with the actions that bear its name. It never calls Discord: it returns
 * what to say, and throws a UserError to refuse.
 */
export interface Command extends Actions {
  /** Its name, texts and options. Where it can be used and who sees it is added where it is published. */
  readonly data: RESTPostAPIApplicationCommandsJSONBody & { readonly name: string };
  readonly answers: ReplyMode | ((entered: EnteredValues) => ReplyMode);
  run?(context: CommandContext): Promise<Reply | Modal>;
  /** @param context with all that can be read in the message: what was written, embeds, a forwarded message */
  useOn?(context: Context & UsedMessage): Promise<Reply>;
  /** Choices for the option being typed. Without the network: Discord waits 3 seconds and cannot be put off. */
  complete?(context: Context, typed: string, option: string): Promise<readonly Choice[]>;
}

/** All commands, and actions that belong to none of them, by their name. */
export interface Commands {
  readonly commands: readonly Command[];
  readonly actions: Readonly<Record<string, Actions>>;
}

/** Notifies a guild's admins, in the guild's language. Never throws. */
export type TellGuild = (guildId: string, makeText: (t: Translate) => string) => Promise<void>;

/** The words that every reply is made with, for any reader. */
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
  // Its token and its application are for this folder alone.
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
