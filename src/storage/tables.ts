/*
 * Types of the tables. They hold the data that the bot searches, counts or claims. Ids are Discord ids stored as text,
 * unless noted otherwise. Times are in milliseconds since 1970. Only column types supported by both SQLite and PostgreSQL
 * are used.
 */

/** Accepted interactions. The process that inserted an interaction replies to it, unless another process takes over. */
export interface InteractionsTable {
  readonly id: string;
  readonly guild_id: string;
  readonly process_id: string;
  readonly taken_at: number;
  /** The data that another process needs to take over the reply, as an encrypted record in JSON; null after the reply. */
  readonly encrypted: string | null;
  /**
   * The message that the reply is written to, as the id of the interaction that created the message. For an existing
   * message, null until the reply is ready.
   */
  readonly message_key: string | null;
}

/**
 * Lists of servers that members edit and submit. A draft can't be changed while one of its submissions is waiting or
 * running. Its lines are kept for a day after its last change or the end of its last submission. A cancelled draft, and text
 * that the bot couldn't read, are deleted after 15 minutes.
 */
export interface DraftsTable {
  readonly id: string;
  readonly guild_id: string;
  readonly user_id: string;
  readonly user_name: string;
  /** How the member entered the lines: in command options, as text, or from a Discord message. */
  readonly source: 'options' | 'text' | 'message';
  /** The draft's lines as JSON (see draft.ts); null if none are left to edit. */
  readonly lines: string | null;
  readonly changed_at: number;
}

/**
 * Addresses that a draft's member can choose to submit, if the text might not be a list of game servers. They aren't part
 * of the draft until the member chooses them, so they can't be sent, counted or exported before that.
 */
export interface ChoicesTable {
  readonly draft_id: string;
  readonly guild_id: string;
  readonly user_id: string;
  /** JSON, see choices.ts. */
  readonly candidates: string;
}

/** Submissions of drafts. With each submission, a member submits between 1 and 1,000 servers. */
export interface SubmissionsTable {
  readonly id: string;
  /** A draft has at most one waiting or running submission. Only its latest submission matters. */
  readonly draft_id: string;
  readonly guild_id: string;
  /** Null once the member's name has been deleted. */
  readonly user_id: string | null;
  /** Null once the name has been deleted. */
  readonly user_name: string | null;
  /**
   * The submission's state. Only `move` in submissions.ts changes it. All states except `waiting`, `running` and,
   * for a minute, `declined` are final.
   * - `waiting`: a moderator has to decide.
   * - `running`: the submission is being sent.
   * - `done`: the submission was sent.
   * - `withdrawn`: the submission was withdrawn or replaced. Its servers are kept until the moderators' message is up to
   *   date, and for at least a day, or 15 minutes if the submission was replaced.
   * - `declined`: a moderator declined the submission, and its servers were not sent.
   * - `expired`: no moderator decided in time, and its servers were not sent.
   */
  readonly state: 'waiting' | 'running' | 'done' | 'withdrawn' | 'declined' | 'expired';
  /**
   * The member's interaction that created the submission; null if it was created by a decision or because an earlier
   * submission ended.
   */
  readonly interaction_id: string | null;
  readonly process_id: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  /** When the time to decide runs out; null if the submission never needed approval. */
  readonly expires_at: number | null;
  /** The moderator who approved or declined the submission; null without a decision, or once their name was deleted. */
  readonly decided_by: string | null;
  /** The moderator's name; also null if an older version recorded the decision without a name. */
  readonly decided_by_name: string | null;
  /** The interaction that approved, declined, corrected or withdrew the submission. */
  readonly decision_id: string | null;
  /** The moderator who corrected the lines; null without a correction, empty once the moderator's name has been deleted. */
  readonly corrected_by: string | null;
  readonly corrected_by_name: string | null;
  /** The server before the first correction, as JSON; null without a correction or if an older version made it. */
  readonly corrected_from?: string | null | undefined;
  /** The reason for declining in the moderator's own words; `decline_reason_key` is one of `DECLINE_REASONS`. */
  readonly decline_reason: string | null;
  readonly decline_reason_key: string | null;
  /** The channel and id of the message that moderators use to decide. */
  readonly channel_id: string | null;
  readonly message_id: string | null;
  /**
   * The latest revision, and the revision that the message shows. If `revision` is greater, the message is out of date. While
   * the message is being edited, or after a crash during an edit, `shown_revision` is negative.
   */
  readonly revision: number;
  readonly shown_revision: number;
  /** The data for notifying the member of the decision, as an encrypted record in JSON; null if no longer needed. */
  readonly notice: string | null;
  /** When the bot notified the member, or tried to; null until then. */
  readonly notified_at: number | null;
}

/**
 * The servers in submissions. While a submission is waiting for a moderator, its servers lack `reserved_at` and an outcome.
 * They don't count towards limits or appear in the history.
 */
export interface ServersTable {
  readonly submission_id: string;
  readonly position: number;
  readonly guild_id: string;
  readonly user_id: string | null;
  /** The server's place in the draft: the line number, and 2 for the second server of a line (see `RowPlace`). */
  readonly line: number;
  readonly part?: number | null | undefined;
  readonly host: string;
  readonly port: number;
  readonly query_port: number | null;
  readonly game: string;
  /** The host and port, in canonical form. */
  readonly address: string;
  /** The time from which the server counts towards limits; null if it was never sent or the guild's key was rejected. */
  readonly reserved_at: number | null;
  /** 1 if the member's name has been deleted but a limit still needs the member's id. */
  readonly is_forgotten?: number | undefined;
  /** When the server was last marked as being sent. */
  readonly sent_at: number | null;
  readonly ended_at: number | null;
  /** Null until there is an outcome. `unknown`: sent, and the service may have received it. */
  readonly outcome: 'accepted' | 'rejected' | 'not-sent' | 'unknown' | null;
  /** The service's message, shortened to 300 UTF-16 units. */
  readonly message: string | null;
  /** Why the server wasn't sent or its outcome is unknown; null for other outcomes. */
  readonly reason: string | null;
}

/** How much of its limit each guild had used when its data was deleted. Deleting the data doesn't reset the limit. */
export interface UsedTable {
  readonly guild_id: string;
  /** The number of servers that still count towards the limit. */
  readonly count: number;
  /** When the servers stop counting. */
  readonly until: number;
}

/**
 * Tests of API keys. They count towards the limits on key tests for a minute, even if the guild's data or the member's name
 * is deleted in the meantime. Afterwards, a job deletes them.
 */
export interface KeyTrialsTable {
  readonly guild_id: string;
  readonly user_id: string;
  readonly at: number;
}

/** When the bot was last known to be in each guild. After a guild removes the bot, the guild's data is deleted. */
export interface GuildDeparturesTable {
  readonly guild_id: string;
  /** The last time a member used a command in the guild, or Discord confirmed that the bot was still there. */
  readonly unused_since: number;
}

export interface DirectMessageChannelsTable {
  readonly user_id: string;
  readonly channel_id: string;
  readonly opened_at: number;
}

/** Members and hosts of game servers that a guild's moderators have blocked. Either `user_id` or `host` is null. */
export interface BlocksTable {
  readonly id: string;
  readonly guild_id: string;
  readonly user_id: string | null;
  /** The blocked name, address or range (see `BlockTarget`). */
  readonly host: string | null;
  /** In the moderator's own words; may be empty. */
  readonly reason: string;
  /** Null once the moderator's name has been deleted. */
  readonly blocked_by: string | null;
  readonly blocked_by_name: string | null;
  readonly blocked_at: number;
  /** The interaction that also declined submissions (see `SubmissionsTable.decision_id`); null for a block on its own. */
  readonly decision_id: string | null;
}

export interface LeasesTable {
  readonly process_id: string;
  /** The process counts as alive until this time, by the database's clock. */
  readonly until: number;
  readonly encryption_key_id: string;
}

/** One process at a time runs these jobs for all processes. */
export interface JobsTable {
  readonly name: string;
  readonly process_id: string;
  /** When another process may start the job, by the database's clock. */
  readonly until: number;
}

/** Key-value pairs in the format of `@keyv/sqlite` (see `Values`). */
export interface KeyvTable {
  readonly key: string;
  /** The value as JSON. */
  readonly value: string | null;
  readonly namespace: string;
}

export interface Tables {
  readonly interactions: InteractionsTable;
  readonly drafts: DraftsTable;
  readonly choices: ChoicesTable;
  readonly submissions: SubmissionsTable;
  readonly servers: ServersTable;
  readonly used: UsedTable;
  readonly key_trials: KeyTrialsTable;
  readonly blocks: BlocksTable;
  readonly guild_departures: GuildDeparturesTable;
  readonly direct_message_channels: DirectMessageChannelsTable;
  readonly leases: LeasesTable;
  readonly jobs: JobsTable;
  readonly keyv: KeyvTable;
}
