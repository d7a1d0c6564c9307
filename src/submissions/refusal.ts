import type { ServerSubmission } from '../listing/contract.ts';
import type { HistoryEntry } from './history.ts';

/** Why servers are not submitted; nothing was sent. */
export type Refusal =
  /** The guild has no key. */
  | { readonly code: 'key-missing' }
  /** The guild's key cannot be opened any more. */
  | { readonly code: 'key-unreadable' }
  /** The service has refused the guild's key; nothing leaves until it is renewed. */
  | { readonly code: 'key-invalid' }
  /** The same server is on its way already. */
  | { readonly code: 'in-flight'; readonly server: ServerSubmission }
  /** This guild has submitted these before; they were accepted, or may have been received. */
  | { readonly code: 'submitted-before'; readonly entries: readonly HistoryEntry[] }
  | { readonly code: 'member-limit' | 'guild-limit'; readonly waitSeconds: number }
  /** More servers at once than are ever allowed within `seconds`: waiting does not help. */
  | {
      readonly code: 'member-limit-size' | 'guild-limit-size';
      readonly limit: number;
      readonly seconds: number;
    }
  | { readonly code: 'service-down' }
  /** This guild lets only some games be submitted. */
  | { readonly code: 'game-not-allowed'; readonly game: string }
  | { readonly code: 'daily-quota'; readonly limit: number; readonly left: number };
