import type {
  APIApplicationCommand,
  APIApplicationCommandOptionChoice,
  APIModalInteractionResponseCallbackData,
} from 'discord.js';
import type { startDiscord } from './stand-in.ts';
import type { InteractionEvent } from './world/interactions.ts';
import type { MessageEvent, SeenMessage } from './world/messages.ts';

/** A rule of Discord that the bot broke. */
export interface Breach {
  /** The rule's title, or what Discord answers. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** What was answered; 0 over the gateway. */
  readonly status: number;
  /** Discord's code of an error, or of a close. */
  readonly code: number;
  /** What is wrong, and where. */
  readonly message: string;
}

export interface SeenModal {
  readonly data: APIModalInteractionResponseCallbackData;
  readonly interactionId: string;
}

/** What a member's Discord shows after an action. */
export type Answer =
  | { readonly kind: 'message'; readonly message: SeenMessage }
  | { readonly kind: 'modal'; readonly modal: SeenModal }
  /** "The application did not respond": no acknowledgement within 3 seconds. */
  | { readonly kind: 'lost' }
  /** The member's own Discord refused it before anything was sent: a required option, a range, a permission. */
  | { readonly kind: 'refused'; readonly why: string };

export type OptionValue = string | number | Upload;
export interface Upload {
  readonly filename: string;
  readonly bytes: Uint8Array;
  /** What the uploader claims; may lie. Default: the true length. */
  readonly size?: number;
  readonly contentType?: string;
}

/** A payload over the gateway in either direction, or a request of the bot with the status that it was answered with. */
export interface WireEvent {
  readonly kind: 'wire';
  readonly from: 'bot' | 'discord';
  readonly request: RecordedRequest;
}

/** Everything that changes at this Discord, for whoever shows it. */
export type DiscordEvent =
  | MessageEvent
  | InteractionEvent
  | WireEvent
  /** A rule was broken, by what the bot sent in the event right before this one. */
  | { readonly kind: 'breach'; readonly breach: Breach }
  /** Something happened to a guild. */
  | { readonly kind: 'guild' };

/** One person at their Discord, in one channel of one guild. */
export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly guildId: string;
  readonly channelId: string;
  /** The commands this person's Discord shows. */
  commands(): readonly APIApplicationCommand[];
  /** Runs a slash command; resolves when an answer is seen (a deferred one: when it is no longer loading). */
  slash(name: string, options?: Readonly<Record<string, OptionValue>>): Promise<Answer>;
  /** The choices shown while `focused` is being typed. */
  complete(
    name: string,
    focused: string,
    options: Readonly<Record<string, OptionValue>>,
  ): Promise<readonly APIApplicationCommandOptionChoice[] | 'lost'>;
  /** Presses a button of a message, by its label or its custom id. */
  press(message: SeenMessage, button: string): Promise<Answer>;
  /**
   * Chooses in a select of a message: options by their labels or values, channels by `#name`, roles by `@name`.
   * `customId` says which select is meant, where several offer the same.
   */
  pick(message: SeenMessage, values: readonly string[], customId?: string): Promise<Answer>;
  /** Fills a modal in and submits it: custom id of the field → value. */
  submit(modal: SeenModal, values: Readonly<Record<string, string>>): Promise<Answer>;
  /** Runs a message command on a message that is in the channel. */
  useOnMessage(command: string, messageId: string): Promise<Answer>;
}

/** A Discord of our own on loopback, as strict as the real one. */
export type DiscordStandIn = Awaited<ReturnType<typeof startDiscord>>;

export interface RecordedRequest {
  readonly at: number;
  /** `1.1`, or `2.0` from a client that took what TLS offered. */
  readonly httpVersion: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
}
