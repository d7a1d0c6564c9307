/*
 * What is searched, counted or claimed. All ids are Discord's, as text; all times are milliseconds since 1970. Only
 * types that SQLite and PostgreSQL share.
 */

/** Interactions that this bot has taken. The process that inserts the id answers it, or whoever takes it over. */
export interface InteractionsTable {
  readonly id: string;
  readonly guild_id: string;
  readonly owner: string;
  readonly taken_at: number;
  /** What another run of the bot needs to answer it, as JSON of a sealed record; null once it was answered. */
  readonly sealed: string | null;
  /**
   * The message that its reply writes, by the id of the interaction that made the message. Null until the reply to a button
   * begins to change a message that another interaction made.
   */
  readonly changes: string | null;
}

/**
 * The lines that a member edits and submits. It has no state: it can be changed as long as no run of it waits or runs, and
 * goes 15 minutes after its last change or after the end of its last run.
 */
export interface DocumentsTable {
  /** The id of the interaction that made it. */
  readonly id: string;
  readonly guild_id: string;
  readonly user_id: string;
  readonly user_name: string;
  /** Where the lines stood: in the options of a command, in a text, or in a message of Discord. */
  readonly source: 'options' | 'text' | 'message';
  /** The lines and what was chosen for them, as JSON (see draft.ts); null once all were accepted, or it was cancelled. */
  readonly lines: string | null;
  readonly changed_at: number;
}

/** A run of a document: one server or a thousand that a member submits at once. */
export interface SubmissionsTable {
  readonly id: string;
  /** The document, which has at most one run that waits or runs. Its latest run is the one that counts. */
  readonly document_id: string;
  readonly guild_id: string;
  /** Null once the member had their name deleted and no limit counts the submission any more. */
  readonly user_id: string | null;
  /** Null after the member had it deleted. */
  readonly user_name: string | null;
  /**
   * `waiting`: for a moderator. `running`: it is carried out. All others have ended: `done` was
   * carried out; the servers of `withdrawn` are kept until its message says so, 15 minutes at least; those of `refused` and
   * `expired` were not sent. `move` in runs.ts alone changes it.
   */
  readonly state: 'waiting' | 'running' | 'done' | 'withdrawn' | 'refused' | 'expired';
  /** The interaction of its member that has submitted it; null for a run that a decision or the end of another one has made. */
  readonly interaction_id: string | null;
  /** The process that carries it out. */
  readonly owner: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  /** Until when a moderator may decide; null where none ever had to. */
  readonly expires_at: number | null;
  /** The moderator who has approved or refused it; null, too, once they had their name deleted. */
  readonly decided_by: string | null;
  /** Null, too, where a version that did not store it has decided. */
  readonly decided_by_name: string | null;
  /** The interaction that has approved, refused, corrected or withdrawn it. */
  readonly decision_id: string | null;
  /** The moderator who has corrected what the member submitted; empty once they had their name deleted, null where nobody has. */
  readonly corrected_by: string | null;
  readonly corrected_by_name: string | null;
  /** Why the moderator has refused it: in their own words, and one of `REFUSAL_REASONS`. */
  readonly refusal: string | null;
  readonly refusal_key: string | null;
  /** The message in the log channel on which moderators decide. */
  readonly channel_id: string | null;
  readonly message_id: string | null;
  /** How often changed what that message shows, and the count that it showed last: it is due while `changes` is greater. */
  readonly changes: number;
  readonly shown: number;
  /** What it takes to tell its member of the decision, as JSON of a sealed record; null from before they are told. */
  readonly telling: string | null;
  /** When its member was told, or was to be; null before. */
  readonly told_at: number | null;
}

/**
 * The servers of a submission. While it waits for a moderator, they have neither `reserved_at` nor an outcome: no limit
 * counts them, and no history shows them.
 */
export interface ServersTable {
  readonly submission_id: string;
  /** Counted from 0, in the order of the input. */
  readonly position: number;
  readonly guild_id: string;
  readonly user_id: string | null;
  /** The line of the document that it stood on. */
  readonly line: number;
  readonly host: string;
  readonly port: number;
  readonly query_port: number | null;
  readonly game: string;
  /** Host and port in canonical form. */
  readonly address: string;
  /** Since when it counts for limits; null where it does not, since it was never sent or its key was refused. */
  readonly reserved_at: number | null;
  /** 1 if its member had their name deleted while a limit still counted their id. */
  readonly is_forgotten?: number | undefined;
  /** When it was last marked as sending. */
  readonly sent_at: number | null;
  readonly ended_at: number | null;
  /** Null until it has ended. `unknown`: it was sent, and may have been received. `not-sent`: nothing was sent. */
  readonly outcome: 'accepted' | 'rejected' | 'not-sent' | 'unknown' | null;
  /** The service's words, cut to 300 code points. */
  readonly message: string | null;
  /** Why it was not sent, or why nobody knows; null where the outcome says it all. */
  readonly reason: string | null;
}

/** What a guild whose data was deleted had used of its limit, so that a deletion makes no room. */
export interface UsedTable {
  readonly guild_id: string;
  /** How many servers still count. */
  readonly count: number;
  /** Until when they count. */
  readonly until: number;
}

/** Guilds whose data is deleted once the bot was removed from them. */
export interface GuildDeparturesTable {
  readonly guild_id: string;
  /** Since when nobody has used a command there, nor Discord said that the bot is there. */
  readonly unused_since: number;
}

/** Processes that are alive. */
export interface LeasesTable {
  readonly owner: string;
  /** Until when it counts as alive, by the clock of the database. */
  readonly until: number;
  /** The id of the encryption key that it seals with. */
  readonly sealing_key: string;
}

/** Jobs that one process does for all. */
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
  readonly documents: DocumentsTable;
  readonly submissions: SubmissionsTable;
  readonly servers: ServersTable;
  readonly used: UsedTable;
  readonly guild_departures: GuildDeparturesTable;
  readonly leases: LeasesTable;
  readonly jobs: JobsTable;
  readonly keyv: KeyvTable;
}
