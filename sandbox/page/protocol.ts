import type { Role } from '../people.ts';

/** What goes between the server of the page and the page, as JSON. Types only: both sides read them. */

/** A piece of a text, parsed from Discord's markdown. */
export type Mark =
  | { readonly kind: 'text' | 'code' | 'block' | 'mention' | 'command'; readonly text: string }
  | { readonly kind: 'break' }
  | {
      readonly kind: 'strong' | 'em' | 'underline' | 'strike' | 'spoiler' | 'quote' | 'small' | 'heading';
      readonly inside: readonly Mark[];
    }
  | { readonly kind: 'link'; readonly href: string; readonly inside: readonly Mark[] }
  /** Seconds since 1970, and Discord's letter for the form. */
  | { readonly kind: 'time'; readonly seconds: number; readonly format: string };

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
  /** The first lines of a text. */
  readonly preview: string;
}

export interface Choice {
  readonly label: string;
  readonly value: string;
  readonly description: string;
  readonly chosen: boolean;
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
  readonly choices: readonly Choice[];
}

export type PartView = ButtonView | SelectView | { readonly kind: 'text'; readonly marks: readonly Mark[] };

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
  /** Rows of buttons and selects. */
  readonly rows: readonly (readonly PartView[])[];
}

export interface OptionView {
  /** As the bot knows it. */
  readonly name: string;
  /** As the person's language has it. */
  readonly label: string;
  readonly description: string;
  readonly kind: 'text' | 'integer' | 'number' | 'choice' | 'file';
  readonly required: boolean;
  readonly autocomplete: boolean;
  /** What can be chosen, where that is known beforehand: choices, people, channels, roles, true and false. */
  readonly choices: readonly { readonly label: string; readonly value: string }[];
  readonly least: number | undefined;
  readonly most: number | undefined;
}

export interface CommandView {
  /** With its subcommands, as the bot knows it. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly options: readonly OptionView[];
}

interface FieldAbout {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
}
export type FieldView =
  | { readonly kind: 'words'; readonly marks: readonly Mark[] }
  | (FieldAbout & {
      readonly kind: 'line' | 'lines';
      readonly least: number;
      readonly most: number;
      readonly placeholder: string;
      readonly value: string;
    })
  | (FieldAbout & {
      readonly kind: 'choices';
      readonly least: number;
      readonly most: number;
      readonly choices: readonly Choice[];
    })
  | (FieldAbout & { readonly kind: 'files'; readonly most: number; readonly types: readonly string[] })
  | (FieldAbout & { readonly kind: 'tick'; readonly ticked: boolean });

export interface ModalView {
  /** What it is submitted by. */
  readonly id: string;
  readonly title: string;
  readonly fields: readonly FieldView[];
}

/** A file as JSON carries it. */
export interface FileValue {
  readonly filename: string;
  readonly base64: string;
}
export type Entered = string | number | boolean | FileValue | readonly string[] | readonly FileValue[];

/** Who acts, where, and in which language. */
export interface SeatView {
  readonly role: Role;
  readonly guild: string;
  readonly locale: string;
}

/** What the page asks for, besides its view. */
export type Act =
  | { readonly do: 'slash'; readonly command: string; readonly options: Readonly<Record<string, Entered>> }
  | {
      readonly do: 'complete';
      readonly command: string;
      readonly focused: string;
      readonly options: Readonly<Record<string, Entered>>;
    }
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'press'; readonly message: string; readonly button: string }
  | {
      readonly do: 'pick';
      readonly message: string;
      readonly select: string;
      readonly values: readonly string[];
    }
  | { readonly do: 'submit'; readonly modal: string; readonly values: Readonly<Record<string, Entered>> }
  | { readonly do: 'apps'; readonly message: string; readonly command: string }
  | { readonly do: 'dismiss'; readonly message: string }
  | { readonly do: 'behave'; readonly kind: string }
  | { readonly do: 'allow' | 'revoke'; readonly key: string }
  | { readonly do: 'kill' | 'start' }
  | { readonly do: 'play'; readonly scenario: string };

export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'modal'; readonly modal: ModalView }
  | {
      readonly kind: 'choices';
      readonly choices: readonly { readonly label: string; readonly value: string }[];
    }
  /** Nothing came within three seconds. */
  | { readonly kind: 'lost' }
  /** The person's own Discord did not send it. */
  | { readonly kind: 'refused'; readonly why: string };

export interface TraceEntry {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly from: 'bot' | 'discord';
  readonly title: string;
  readonly body: string;
  readonly broken: readonly BrokenRule[];
}

export interface BrokenRule {
  readonly rule: number;
  readonly title: string;
  readonly source: string;
  /** What Discord answered. */
  readonly answer: string;
}

/** Everything that one person sees, but the trace. */
export interface View {
  readonly you: SeatView & { readonly name: string };
  readonly guilds: readonly { readonly id: string; readonly name: string }[];
  readonly channel: string;
  readonly messages: readonly MessageView[];
  /** What everybody can read in the other channels. */
  readonly elsewhere: readonly { readonly channel: string; readonly messages: readonly MessageView[] }[];
  readonly commands: readonly CommandView[];
  readonly messageCommands: readonly { readonly name: string; readonly label: string }[];
  readonly bot: 'starting' | 'ready' | 'stopped' | 'crashed';
  readonly service: {
    readonly kind: string;
    readonly kinds: readonly { readonly kind: string; readonly words: string }[];
    readonly keys: readonly string[];
    readonly held: readonly { readonly game: string; readonly address: string }[];
  };
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
