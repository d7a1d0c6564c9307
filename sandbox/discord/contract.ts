import type {
  APIApplicationCommand,
  APIApplicationCommandOptionChoice,
  APIModalInteractionResponseCallbackData,
} from 'discord.js';
import type { Overwrite } from './client/visibility.ts';
import type { Endpoint } from './endpoint.ts';
import type { GatewayControls } from './gateway/server.ts';
import type { GuildEvents } from './guild-events.ts';
import type { RestFaults } from './rest/faults.ts';
import type { Clock } from './world/clock.ts';
import type { Guild } from './world/guilds.ts';
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

export type OptionValue = string | number | boolean | Upload;
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

/** A rule was broken, by what the bot sent in the event right before this one. */
export interface BreachEvent {
  readonly kind: 'breach';
  readonly breach: Breach;
}

/** Something happened to a guild. */
export interface GuildEvent {
  readonly kind: 'guild';
}

/** Everything that changes at this Discord, for whoever shows it. */
export type DiscordEvent = MessageEvent | InteractionEvent | GuildEvent | WireEvent | BreachEvent;

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
export interface DiscordStandIn {
  /** What a bot's `rest.api` must be: `http://127.0.0.1:PORT/api`, or with `https`. */
  readonly apiUrl: string;
  /** Where attachments are: the origin of `apiUrl`. */
  readonly cdnUrl: string;
  readonly applicationId: string;
  /** Every rule broken so far. A run is clean when it is empty. */
  readonly breaches: readonly Breach[];
  /** Every request as it arrived. */
  readonly requests: readonly RecordedRequest[];
  /**
   * The requests and gateway payloads in which a secret appears, plainly or encoded.
   * @throws Error when the oldest are no longer kept: the secret might have been in one of those
   */
  findSecret(secret: string): readonly RecordedRequest[];
  /** Guilds the bot is in. Two exist from the start: `guilds[0]` and `guilds[1]`, each with text channels. */
  readonly guilds: readonly Guild[];
  /** Every guild there ever was, also those that the bot was removed from, in the order in which they came. */
  readonly everyGuild: readonly Guild[];
  /** The time of the stand-in: `advance` lets deadlines pass at once. */
  readonly clock: Clock;
  /** Lets requests fail. */
  readonly faults: RestFaults;
  /** What Discord posts interactions to in place of the gateway, once it has a URL. */
  readonly endpoint: Omit<Endpoint, 'post' | 'stop'>;
  /** Lets the gateway fail, and tells who is connected. */
  readonly gateway: GatewayControls;
  /** Joins, removals and outages of guilds. */
  readonly guildEvents: GuildEvents;
  /**
   * Tells of everything that happens from now on, as it happens. What there is already is in `messages`, `requests`
   * and `breaches`. The function returned ends it.
   */
  watch(listener: (event: DiscordEvent) => void): () => void;
  /** Resolves when the bot is connected (READY sent, or its endpoint answers) and its commands are published. */
  ready(): Promise<void>;
  /** Resolves when a bot is connected, whether or not it has published anything. */
  connected(): Promise<void>;
  /** The name of a person, a role or a channel, by its id. */
  nameOf(id: string): string | undefined;
  /** Commands as the bot published them. */
  commands(): readonly APIApplicationCommand[];
  person(who: {
    readonly guild: Guild;
    readonly name: string;
    readonly permissions: bigint;
    readonly locale?: string;
    /** Where they are, also a thread or an announcement channel; the guild's first text channel unless said. */
    readonly channelId?: string;
    /** For a person who is to be the same in every run; a new id without it. */
    readonly userId?: string;
  }): Person;
  /** Where messages can be in a guild: `general`, `staff`, the announcement channel `news`, the thread `questions`. */
  channels(guild: Guild): readonly Channel[];
  /** Who is in a guild. */
  members(guild: Guild): readonly Named[];
  /** The roles of a guild, @everyone first. */
  roles(guild: Guild): readonly Named[];
  /** Puts a message of a person in the channel, and returns its id. */
  say(person: Person, content: string): string;
  /** The messages of a channel that everybody can see, in order; of one person also those that only they can see. */
  messages(where: { readonly channelId: string; readonly userId?: string }): readonly SeenMessage[];
  /** The Integrations page of a guild: who may use a command, by its id. */
  setIntegrations(guild: Guild, commandId: string, overwrites: readonly Overwrite[]): void;
  /** @throws Error when an answer of the stand-in was not of the shape that Discord's published schema gives it. */
  close(): Promise<void>;
}

/** A member or a role. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A channel of a guild, or a thread. */
export interface Channel extends Named {
  /** Discord docs: Channel, Channel Types. */
  readonly type: number;
}

export interface RecordedRequest {
  readonly at: number;
  /** `1.1`, or `2.0` from a client that took what TLS offered. */
  readonly httpVersion: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
}
