import type { Generated } from 'kysely';

/*
 * What is searched, counted or claimed. All ids are Discord's, as text; all times are milliseconds since 1970. Only
 * types that SQLite and PostgreSQL share.
 */

/** Interactions that this bot has taken: whoever inserts the id answers it. */
export interface InteractionsTable {
  readonly id: string;
  readonly guild_id: string;
  /** The process that answers it. */
  readonly owner: string;
  readonly taken_at: number;
  /** A sealed record as JSON, of what is needed to answer it in another run of the bot; null once it was answered. */
  readonly sealed: string | null;
  /** The message that it has begun to change, by the id of the interaction that made it; null where that is its own. */
  readonly changes: string | null;
}

/** What a member submits at once: one server or a thousand. */
export interface SubmissionsTable {
  /** Of the interaction that made its draft; with `-remainder` behind it: what remains of the draft that this one carried out. */
  readonly id: string;
  readonly guild_id: string;
  /** Null once the member had their name deleted and no limit counts the submission any more. */
  readonly user_id: string | null;
  /** Null as soon as the member had it deleted. */
  readonly user_name: string | null;
  /** `draft`: waits for a button. `running`: an interaction carries it out. `done`: it has ended. */
  readonly state: 'draft' | 'running' | 'done';
  /** As JSON (see draft.ts): of a draft, or of what is carried out of one, until its member was told; null after that. */
  readonly draft: string | null;
  /** The interaction that carries it out; null for a draft. */
  readonly interaction_id: string | null;
  /** The process that carries it out; null for a draft. */
  readonly owner: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** The servers that were submitted. A draft has none. */
export interface ServersTable {
  readonly submission_id: string;
  /** Counted from 0, in the order of the input. */
  readonly position: number;
  readonly guild_id: string;
  readonly user_id: string | null;
  readonly host: string;
  readonly port: number;
  readonly query_port: number | null;
  /** The alias. */
  readonly game: string;
  /** Host and port as text, the same for every way to write them. */
  readonly address: string;
  /** Since when it counts for limits; null where it does not, since it was never sent or its key was refused. */
  readonly reserved_at: number | null;
  /** When the latest request with it was about to be sent. */
  readonly sent_at: number | null;
  readonly ended_at: number | null;
  /** Null until it has ended. `unknown`: it was sent, and may have been received. `not-sent`: nothing was sent. */
  readonly outcome: 'accepted' | 'rejected' | 'not-sent' | 'unknown' | null;
  /** The service's words, cut to 300 code points. */
  readonly message: string | null;
  /** Why it was not sent, or why nobody knows; null where the outcome says it all. */
  readonly reason: string | null;
}

/** What somebody wants deleted and is not deleted to the last row: the start and the hourly job go on with it. */
export interface DeletionsTable {
  readonly guild_id: string;
  /** The member whose name goes; empty for everything of the guild. */
  readonly user_id: string;
  /** What came later stays. */
  readonly asked_at: number;
}

/** Guilds in which the bot user was missing when Discord listed its guilds, or is not known to be. */
export interface PresenceTable {
  readonly guild_id: string;
  /** When members last used a command while the guild was in no list that their process knew; null: not since then. */
  readonly used_at: number | null;
  /** Since when the guild is absent, and in how many lists in a row. */
  readonly absent_since: number | null;
  readonly absences: Generated<number>;
  /** 1 where the guild was in the list right before: what its members used until then says nothing. */
  readonly was_listed: Generated<number>;
  /** 1: it was missing for the first time with so many others that the list was doubted. */
  readonly is_doubted: Generated<number>;
}

/** Processes that are alive. */
export interface LeasesTable {
  /** The id of the process. */
  readonly owner: string;
  /** Until when it counts as alive without another renewal, by the clock of the database. */
  readonly until: number;
  /** The id of the encryption key that it seals with. */
  readonly sealing_key: string;
}

/** What one of all processes does at a time. */
export interface JobsTable {
  readonly name: string;
  /** The id of the process that has begun it last. */
  readonly owner: string;
  /** From when on another process may begin it, by the clock of the database. */
  readonly until: number;
}

/** Values under keys, written by Keyv. */
export interface KeyvTable {
  readonly key: string;
  /** JSON. */
  readonly value: string | null;
  readonly namespace: string;
  /** From when on the value counts no more; null: never. */
  readonly expires: number | null;
}

export interface Tables {
  readonly interactions: InteractionsTable;
  readonly submissions: SubmissionsTable;
  readonly servers: ServersTable;
  readonly deletions: DeletionsTable;
  readonly presence: PresenceTable;
  readonly leases: LeasesTable;
  readonly jobs: JobsTable;
  readonly keyv: KeyvTable;
}
