import type { Role } from '../people.ts';
import type { ModalView } from './messages.ts';

/**
 * The JSON that the page exchanges with its server. This module only contains types, because both the browser and the
 * server import it. For views, see `view.ts`.
 */

export interface Choice {
  readonly label: string;
  readonly value: string;
}

/** A file as it is sent in JSON. */
export interface FileValue {
  readonly filename: string;
  readonly base64: string;
}
export type EnteredValues = Readonly<Record<string, string | FileValue>>;

/** A user, the user's language and where the user is in Discord. */
export interface SeatView {
  readonly role: Role;
  readonly guild: string;
  /** The name of the channel, or `DIRECT` for direct messages. Unknown names stand for the guild's first channel. */
  readonly channel: string;
  readonly locale: string;
}

/** An action that the page asks the server to perform. */
export type Act =
  | { readonly do: 'slash'; readonly command: string; readonly options: EnteredValues }
  | {
      readonly do: 'complete';
      readonly command: string;
      readonly focused: string;
      readonly options: EnteredValues;
    }
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'press'; readonly message: string; readonly button: string }
  | {
      readonly do: 'pick';
      readonly message: string;
      readonly select: string;
      readonly values: readonly string[];
    }
  | { readonly do: 'submit'; readonly modal: string; readonly values: EnteredValues }
  | { readonly do: 'apps'; readonly message: string; readonly command: string }
  | { readonly do: 'dismiss'; readonly message: string }
  | { readonly do: 'trouble'; readonly whom: 'service' | 'discord' | 'steam'; readonly name: string }
  | { readonly do: 'allow' | 'revoke'; readonly key: string }
  | { readonly do: 'kill' | 'start' | 'next' }
  | { readonly do: 'leave'; readonly keepsServer: boolean }
  | { readonly do: 'play'; readonly scenario: string };

export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'modal'; readonly modal: ModalView }
  | { readonly kind: 'choices'; readonly choices: readonly Choice[] }
  /** The bot didn't respond within three seconds. */
  | { readonly kind: 'lost' }
  /** Discord's client didn't send the action. */
  | { readonly kind: 'rejected'; readonly why: string };
