import type { Role } from '../people.ts';
import type { ModalView } from './messages.ts';

/** What the page asks its server for, and what comes back, as JSON; what it shows is in `view.ts`. Types only: both sides read them. */

export interface Choice {
  readonly label: string;
  readonly value: string;
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
  /** By its name; `DIRECT` for direct messages. What is not there stands for the guild's first. */
  readonly channel: string;
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
  | { readonly do: 'submit'; readonly modal: string; readonly values: Entered }
  | { readonly do: 'apps'; readonly message: string; readonly command: string }
  | { readonly do: 'dismiss'; readonly message: string }
  | { readonly do: 'trouble'; readonly whom: 'service' | 'discord' | 'steam'; readonly name: string }
  | { readonly do: 'allow' | 'revoke'; readonly key: string }
  | { readonly do: 'kill' | 'start' | 'next' | 'leave' }
  | { readonly do: 'play'; readonly scenario: string };

export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'modal'; readonly modal: ModalView }
  | { readonly kind: 'choices'; readonly choices: readonly Choice[] }
  /** Nothing came within three seconds. */
  | { readonly kind: 'lost' }
  /** The person's own Discord did not send it. */
  | { readonly kind: 'refused'; readonly why: string };
