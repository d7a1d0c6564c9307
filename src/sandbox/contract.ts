import type {
  APIApplicationCommand,
  APIApplicationCommandOptionChoice,
  APIMessage,
  APIModalInteractionResponseCallbackData,
} from 'discord.js';

/** A rule of Discord that a request broke. It was answered with this status and code. */
export interface Breach {
  readonly rule: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: number;
  /** The JSON body that was answered: `{ code, message, errors? }`. */
  readonly body: { readonly code: number; readonly message: string; readonly errors?: unknown };
}

/** A message as one member sees it. It is live: an edit replaces `current`. */
export interface SeenMessage {
  readonly id: string;
  readonly channelId: string;
  /** The latest state, as Discord would return it; `undefined` once deleted. */
  readonly current: APIMessage | undefined;
  readonly ephemeral: boolean;
  /** Still "thinking…": deferred and not yet edited. */
  readonly loading: boolean;
  /** Resolves at the next change of the message. */
  changed(): Promise<void>;
  /** The bytes of an attachment of this message, by its file name. */
  file(name: string): Buffer | undefined;
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

/** One person at their Discord, in one channel of one guild. */
export interface Person {
  readonly userId: string;
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
  /** Chooses in the select of a message, by the options' labels or values. */
  pick(message: SeenMessage, values: readonly string[]): Promise<Answer>;
  /** Fills a modal in and submits it: custom id of the field → value. */
  submit(modal: SeenModal, values: Readonly<Record<string, string | Upload>>): Promise<Answer>;
  /** Runs a message command on a message that is in the channel. */
  useOnMessage(command: string, messageId: string): Promise<Answer>;
}

export interface StandInOptions {
  readonly token: string;
  readonly port?: number;
  /** Called for every rule that is broken, as it happens. */
  readonly onBreach?: (breach: Breach) => void;
}

/** A Discord of our own on loopback, as strict as the real one. */
export interface DiscordStandIn {
  /** What a bot's `rest.api` must be: `http://127.0.0.1:PORT/api`. */
  readonly apiUrl: string;
  readonly applicationId: string;
  /** Every rule broken so far. A run is clean when it is empty. */
  readonly breaches: readonly Breach[];
  /** Every request as it arrived, for secret scanning (rule 59) and for asserting what was sent. */
  readonly requests: readonly RecordedRequest[];
  /** Guilds the bot is in. Two exist from the start: `guilds[0]` and `guilds[1]`, each with a text channel. */
  readonly guilds: readonly Guild[];
  /** Resolves when the bot is connected (READY sent) and its commands are published. */
  ready(): Promise<void>;
  /** Every ephemeral and public message, in order. */
  person(who: {
    readonly guild: Guild;
    readonly name: string;
    readonly permissions: bigint;
    readonly locale?: string;
  }): Person;
  /** Puts a message of a person in the channel. */
  say(person: Person, content: string): string;
  close(): Promise<void>;
}

export interface Guild {
  readonly id: string;
  readonly name: string;
  readonly channelId: string;
}

export interface RecordedRequest {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
}
