/*
 * Data that is searched, counted or claimed. All ids are Discord's, as text. All times are in milliseconds since 1970. Only
 * uses types that both SQLite and PostgreSQL have.
 */

/**
 * Interactions that this bot has accepted. The process that inserts a row replies to the interaction, unless another
 * process takes it over.
 */
export interface InteractionsTable {
  readonly id: string;
  readonly guild_id: string;
  readonly process_id: string;
  readonly taken_at: number;
  /** The data that another process needs to reply, as the JSON of an encrypted record; null once there is a reply. */
  readonly encrypted: string | null;
  /**
   * The message that its reply changes, identified by the interaction that created the message. Null until the reply to a
   * button starts changing another interaction's message.
   */
  readonly message_key: string | null;
}

/**
 * The lines that a member edits and submits. A draft has no state. It can be changed while none of its submissions is
 * waiting or running. It is deleted 15 minutes after its last change, or after the end of its last submission.
 */
export interface DraftsTable {
  /** The id of the interaction that created it. */
  readonly id: string;
  readonly guild_id: string;
  readonly user_id: string;
  readonly user_name: string;
  /** Where the lines come from: command options, a text, or a Discord message. */
  readonly source: 'options' | 'text' | 'message';
  /**
   * The lines and the choices that the member made for them, as JSON (see draft.ts). Null once all were accepted, or the
   * draft was cancelled.
   */
  readonly lines: string | null;
  readonly changed_at: number;
}

/** A submission of a draft: one to a thousand servers that a member submits together. */
export interface SubmissionsTable {
  readonly id: string;
  /** The draft. At most one of its submissions is waiting or running. Only the latest one matters. */
  readonly draft_id: string;
  readonly guild_id: string;
  /** Null once the member's name has been deleted and no limit counts the submission. */
  readonly user_id: string | null;
  /** Null once the member's name has been deleted. */
  readonly user_name: string | null;
  /**
   * `waiting`: a moderator has to decide. `running`: it is being sent. All other states are final. `done`: it was sent.
   * `withdrawn`: its servers are kept until its message shows that, and for at least 15 minutes. `declined` (by a
   * moderator) and `expired`: its servers weren't sent. Only `move` in submissions.ts changes the state.
   */
  readonly state: 'waiting' | 'running' | 'done' | 'withdrawn' | 'declined' | 'expired';
  /**
   * The member's interaction that submitted it; null if it was created by a decision or by the end of another submission.
   */
  readonly interaction_id: string | null;
  /** The process that sends it. */
  readonly process_id: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  /** The time until which a moderator can decide; null if it never needed approval. */
  readonly expires_at: number | null;
  /** The moderator who approved or declined it; also null once the moderator's name has been deleted. */
  readonly decided_by: string | null;
  /** The moderator's name; also null if a version that didn't store names recorded the decision. */
  readonly decided_by_name: string | null;
  /** The interaction that approved, declined, corrected or withdrew it. */
  readonly decision_id: string | null;
  /**
   * The moderator who corrected the member's lines; null if there was no correction, empty once the moderator's name has
   * been deleted.
   */
  readonly corrected_by: string | null;
  readonly corrected_by_name: string | null;
  /** The moderator's reason for declining it: their own words, and one of `DECLINE_REASONS`. */
  readonly decline_reason: string | null;
  readonly decline_reason_key: string | null;
  /** The message in the log channel where moderators decide. */
  readonly channel_id: string | null;
  readonly message_id: string | null;
  /**
   * The revision of the content that the message should show, and the revision that it showed last. The message is out of
   * date while `revision` is greater.
   */
  readonly revision: number;
  readonly shown_revision: number;
  /**
   * The data needed to notify the member of the decision, as the JSON of an encrypted record; null once it is no longer
   * needed.
   */
  readonly notice: string | null;
  /** When the member was notified, or should have been; null before. */
  readonly notified_at: number | null;
}

/**
 * The servers of a submission. While the submission waits for a moderator, they have no `reserved_at` and no outcome. So
 * limits don't count them, and the history doesn't show them.
 */
export interface ServersTable {
  readonly submission_id: string;
  /** Counted from 0, in the order of the input. */
  readonly position: number;
  readonly guild_id: string;
  readonly user_id: string | null;
  /** The line of the draft that contains it. */
  readonly line: number;
  readonly host: string;
  readonly port: number;
  readonly query_port: number | null;
  readonly game: string;
  /** The host and port in canonical form. */
  readonly address: string;
  /** Since when it counts towards limits; null if it doesn't count, because it was never sent or its key was rejected. */
  readonly reserved_at: number | null;
  /** 1 if the member's name was deleted while a limit still counted their id. */
  readonly is_forgotten?: number | undefined;
  /** When it was last marked as being sent. */
  readonly sent_at: number | null;
  readonly ended_at: number | null;
  /** Null until it is known. `unknown`: it was sent, and may have been received. `not-sent`: it was never sent. */
  readonly outcome: 'accepted' | 'rejected' | 'not-sent' | 'unknown' | null;
  /** The service's message, cut to 300 code points. */
  readonly message: string | null;
  /** Why it wasn't sent, or why the outcome is unknown; null if the outcome doesn't need a reason. */
  readonly reason: string | null;
}

/** How much of its limit a guild had used when its data was deleted, so that deleting doesn't reset the limit. */
export interface UsedTable {
  readonly guild_id: string;
  /** How many servers still count. */
  readonly count: number;
  /** The time until which they count. */
  readonly until: number;
}

/** Guilds whose data will be deleted because the bot was probably removed from them. */
export interface GuildDeparturesTable {
  readonly guild_id: string;
  /** The time since which no member has used a command there, and Discord hasn't confirmed that the bot is there. */
  readonly unused_since: number;
}

/** Live processes. */
export interface LeasesTable {
  readonly process_id: string;
  /** The time until which the process counts as alive, according to the database's clock. */
  readonly until: number;
  /** The id of the encryption key that the process encrypts with. */
  readonly encryption_key_id: string;
}

/** Jobs that one process runs for all of them. */
export interface JobsTable {
  readonly name: string;
  /** The id of the process that last started it. */
  readonly process_id: string;
  /** The time from which another process can start it, according to the database's clock. */
  readonly until: number;
}

/** Key-value pairs, written by Keyv. */
export interface KeyvTable {
  readonly key: string;
  /** The value as JSON. */
  readonly value: string | null;
  readonly namespace: string;
}

export interface Tables {
  readonly interactions: InteractionsTable;
  readonly drafts: DraftsTable;
  readonly submissions: SubmissionsTable;
  readonly servers: ServersTable;
  readonly used: UsedTable;
  readonly guild_departures: GuildDeparturesTable;
  readonly leases: LeasesTable;
  readonly jobs: JobsTable;
  readonly keyv: KeyvTable;
}
