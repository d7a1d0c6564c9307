import type { ModalField } from '../discord/client/modal-form.ts';
import type { Mark } from '../markdown.ts';
import type { Role } from '../people.ts';

/** What goes between the server of the page and the page, as JSON. Types only: both sides read them. */

export interface EmbedView {
  /** As CSS writes it. */
  readonly color: string;
  readonly author: string;
  readonly title: string;
  readonly url: string;
  readonly description: readonly Mark[];
  readonly fields: readonly {
    readonly name: string;
    readonly value: readonly Mark[];
    readonly inline: boolean;
  }[];
  readonly footer: string;
}

export interface FileView {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Where it is at the stand-in. */
  readonly url: string;
  /** The first lines of a text. */
  readonly preview: string;
}

export interface Choice {
  readonly label: string;
  readonly value: string;
}

export interface ButtonView {
  readonly kind: 'button';
  readonly id: string;
  readonly label: string;
  /** Discord's styles: 1 primary, 2 secondary, 3 success, 4 danger, 5 link. */
  readonly style: number;
  readonly disabled: boolean;
  /** Of a link. */
  readonly url: string;
}

export interface SelectView {
  readonly kind: 'select';
  readonly id: string;
  readonly placeholder: string;
  readonly least: number;
  readonly most: number;
  readonly disabled: boolean;
  readonly offers: readonly (Choice & { readonly isChosen: boolean })[];
}

export interface MessageView {
  readonly id: string;
  readonly author: string;
  readonly bot: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly edited: boolean;
  readonly ephemeral: boolean;
  /** `sending` and `failed` stand for a command whose answer has not come, or did not come in time. */
  readonly state: 'written' | 'thinking' | 'sending' | 'failed';
  /** Whose command it answers: `admin used /setkey`. */
  readonly command: { readonly user: string; readonly name: string } | undefined;
  readonly content: readonly Mark[];
  readonly embeds: readonly EmbedView[];
  readonly files: readonly FileView[];
  readonly rows: readonly (readonly (ButtonView | SelectView)[])[];
}

export interface OptionView {
  /** As the bot knows it. */
  readonly name: string;
  /** As the person's language has it. */
  readonly label: string;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'choice' | 'file';
  readonly required: boolean;
  readonly autocomplete: boolean;
  /** What can be chosen, where that is known beforehand: choices, people, true and false. */
  readonly choices: readonly Choice[];
  readonly least: number | undefined;
  readonly most: number | undefined;
}

export interface CommandView {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly options: readonly OptionView[];
}

export interface ModalView {
  /** What it is submitted by. */
  readonly id: string;
  readonly title: string;
  /** What stands above the fields. */
  readonly words: readonly (readonly Mark[])[];
  readonly fields: readonly ModalField[];
}

/** A file as JSON carries it. */
export interface FileValue {
  readonly filename: string;
  readonly base64: string;
}
export type Entered = Readonly<Record<string, string | FileValue>>;

/** Who acts, where, and in which language. */
export interface SeatView {
  readonly role: Role;
  readonly guild: string;
  readonly locale: string;
}

/** What the page asks for, besides its view. */
export type Act =
  | { readonly do: 'slash'; readonly command: string; readonly options: Entered }
  | {
      readonly do: 'complete';
      readonly command: string;
      readonly focused: string;
      readonly options: Entered;
    }
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'press'; readonly message: string; readonly button: string }
  | {
      readonly do: 'pick';
      readonly message: string;
      readonly select: string;
      readonly values: readonly string[];
    }
  | { readonly do: 'submit'; readonly modal: string; readonly values: Readonly<Record<string, string>> }
  | { readonly do: 'apps'; readonly message: string; readonly command: string }
  | { readonly do: 'dismiss'; readonly message: string }
  | { readonly do: 'trouble'; readonly whom: 'service' | 'discord'; readonly name: string }
  | { readonly do: 'allow' | 'revoke'; readonly key: string }
  | { readonly do: 'kill' | 'start' }
  | { readonly do: 'play'; readonly scenario: string };

export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'modal'; readonly modal: ModalView }
  | { readonly kind: 'choices'; readonly choices: readonly Choice[] }
  /** Nothing came within three seconds. */
  | { readonly kind: 'lost' }
  /** The person's own Discord did not send it. */
  | { readonly kind: 'refused'; readonly why: string };

export interface TraceEntry {
  readonly number: number;
  readonly from: 'bot' | 'discord';
  readonly title: string;
  readonly body: string;
  /** The rules that it breaks, with what Discord answered. */
  readonly broken: readonly { readonly title: string; readonly answer: string }[];
}

/** What can be wrong with somebody, and what is. */
export interface TroublesView {
  readonly now: string;
  readonly all: readonly { readonly name: string; readonly words: string }[];
}

/** Everything that one person sees, but the trace. */
export interface View {
  readonly you: SeatView & { readonly name: string };
  /** Discord's names for the languages that one can choose. */
  readonly locales: readonly string[];
  readonly guilds: readonly { readonly id: string; readonly name: string }[];
  readonly channel: string;
  readonly messages: readonly MessageView[];
  /** What everybody can read in the other channels. */
  readonly elsewhere: readonly { readonly channel: string; readonly messages: readonly MessageView[] }[];
  readonly commands: readonly CommandView[];
  readonly messageCommands: readonly { readonly name: string; readonly label: string }[];
  readonly bot: 'starting' | 'ready' | 'stopped' | 'crashed';
  readonly troubles: { readonly discord: TroublesView; readonly service: TroublesView };
  /** The keys that the service knows, and the servers that it holds. */
  readonly keys: readonly string[];
  readonly held: readonly { readonly game: string; readonly address: string }[];
  /** How often a rule of Discord was broken. */
  readonly broken: number;
  readonly scenarios: readonly { readonly name: string; readonly title: string }[];
  readonly scenario: ScenarioView | undefined;
}

/** The scenario that was played last. */
export interface ScenarioView {
  readonly name: string;
  readonly state: 'playing' | 'over' | 'failed';
  /** What is happening in it. */
  readonly caption: string;
  /** Whose eyes to see it with. */
  readonly seat: SeatView;
}
