import type { Role } from '../people.ts';
import type { ModalView } from './messages.ts';

/**
 * The JSON that the page sends to its server, and the results. Types only, because both sides import them. The views are
 * in `view.ts`.
 */

export interface Choice {
  readonly label: string;
  readonly value: string;
}

/** A file in JSON. */
export interface FileValue {
  readonly filename: string;
  readonly base64: string;
}
export type Entered = Readonly<Record<string, string | FileValue>>;

/** A user, with the place and the language. */
export interface SeatView {
  readonly role: Role;
  readonly guild: string;
  /** The channel's name, or `DIRECT` for direct messages. An unknown name means the guild's first channel. */
  readonly channel: string;
  readonly locale: string;
}

/** An action that the page requests. */
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
  /** No response arrived within three seconds. */
  | { readonly kind: 'lost' }
  /** The user's Discord didn't send the action. */
  | { readonly kind: 'refused'; readonly why: string };
