import type { APIModalInteractionResponseCallbackData } from 'discord.js';
import type { createPerson } from './client/person.ts';
import type { startDiscord } from './stand-in.ts';
import type { InteractionEvent } from './world/interactions.ts';
import type { MessageEvent, SeenMessage } from './world/messages.ts';

/** A breach of a Discord rule by the bot. */
export interface Breach {
  /** The rule's title, or Discord's error message. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** The status of the response; 0 for the gateway. */
  readonly status: number;
  /** Discord's code of an error or a close. */
  readonly code: number;
  /** The error and its place. */
  readonly message: string;
}

export interface SeenModal {
  readonly data: APIModalInteractionResponseCallbackData;
  readonly interactionId: string;
}

/** The result of an action, as the member's Discord shows it. */
export type Answer =
  | { readonly kind: 'message'; readonly message: SeenMessage }
  | { readonly kind: 'modal'; readonly modal: SeenModal }
  /** "The application did not respond": no acknowledgement within 3 seconds. */
  | { readonly kind: 'lost' }
  /** The member's client didn't send the action, because of a required option, a range or a permission. */
  | { readonly kind: 'refused'; readonly why: string };

export type OptionValue = string | number | Upload;
export interface Upload {
  readonly filename: string;
  readonly bytes: Uint8Array;
  /** The size that the uploader claims, which may be wrong; by default the true length. */
  readonly size?: number;
  readonly contentType?: string;
}

/** A gateway payload in either direction, or a request of the bot with the status of its response. */
export interface WireEvent {
  readonly kind: 'wire';
  readonly from: 'bot' | 'discord';
  readonly request: RecordedRequest;
}

/** Every change in this Discord, for front ends. */
export type DiscordEvent =
  | MessageEvent
  | InteractionEvent
  | WireEvent
  /** The bot broke a rule in the event right before this one. */
  | { readonly kind: 'breach'; readonly breach: Breach };

/** A user with Discord, in one channel of a guild. */
export type Person = ReturnType<typeof createPerson>;

/** A local Discord on loopback, as strict as the real one. */
export type DiscordStandIn = Awaited<ReturnType<typeof startDiscord>>;

/** A request, or a gateway payload. */
export interface RecordedRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `1.1`, or `2.0` if the client chose it over TLS. */
  readonly httpVersion: string;
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly body: string;
  /** 0 if there was no response. */
  readonly status: number;
}
