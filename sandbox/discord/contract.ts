import type { APIModalInteractionResponseCallbackData } from 'discord.js';
import type { createPerson } from './client/person.ts';
import type { startDiscord } from './stand-in.ts';
import type { InteractionEvent } from './world/interactions.ts';
import type { MessageEvent, SeenMessage } from './world/messages.ts';

/** A Discord rule that the bot broke. */
export interface Breach {
  /** The rule's title, or Discord's error message. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** The HTTP status of the response, or 0 on the gateway. */
  readonly status: number;
  /** Discord's error code or close code. */
  readonly code: number;
  /** What is wrong with the request, and where. */
  readonly message: string;
}

export interface SeenModal {
  readonly data: APIModalInteractionResponseCallbackData;
  readonly interactionId: string;
}

/** What the user sees as the result of an action. */
export type Answer =
  | { readonly kind: 'message'; readonly message: SeenMessage }
  | { readonly kind: 'modal'; readonly modal: SeenModal }
  /** The bot didn't acknowledge the interaction within 3 seconds, so Discord shows "The application did not respond". */
  | { readonly kind: 'lost' }
  /** Discord's client didn't send the action; for example, because a permission or an option was missing. */
  | { readonly kind: 'rejected'; readonly why: string };

export type OptionValue = string | number | Upload;
export interface Upload {
  readonly filename: string;
  readonly bytes: Uint8Array;
  /** The size in bytes that the uploader claims, which might be wrong. The default is the real size. */
  readonly size?: number;
  readonly contentType?: string;
}

/** A gateway payload, or an HTTP request with the status of its response. */
export interface WireEvent {
  readonly kind: 'wire';
  readonly from: 'bot' | 'discord';
  readonly request: RecordedRequest;
}

/** A change in the simulated Discord, for programs that display it. */
export type DiscordEvent =
  | MessageEvent
  | InteractionEvent
  | WireEvent
  /** The bot broke a rule in the previous event. */
  | { readonly kind: 'breach'; readonly breach: Breach };

/** A Discord user in one channel of a guild. */
export type Person = ReturnType<typeof createPerson>;

/** A simulated Discord on a loopback address, which enforces the same rules as the real one. */
export type DiscordStandIn = Awaited<ReturnType<typeof startDiscord>>;

/** An HTTP request or a gateway payload. */
export interface RecordedRequest {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** `1.1`, or `2.0` if the client negotiated it over TLS. */
  readonly httpVersion: string;
  readonly method: string;
  /** The path, including the query string. */
  readonly path: string;
  readonly body: string;
  /** The HTTP status, or 0 if the bot didn't get a response. */
  readonly status: number;
}
