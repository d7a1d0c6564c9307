import type { APIModalInteractionResponseCallbackData } from 'discord.js';
import type { createPerson } from './client/person.ts';
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
  | { readonly kind: 'breach'; readonly breach: Breach };

/** One person at their Discord, in one channel of one guild. */
export type Person = ReturnType<typeof createPerson>;

/** A Discord of our own on loopback, as strict as the real one. */
export type DiscordStandIn = Awaited<ReturnType<typeof startDiscord>>;

/** A request, or a payload over the gateway. */
export interface RecordedRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `1.1`, or `2.0` from a client that took what TLS offered. */
  readonly httpVersion: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string;
  /** 0 when it was never answered. */
  readonly status: number;
}
