/*
 * What is searched, counted or claimed. All ids are Discord's, as text; all times are milliseconds since 1970; what is
 * true or false is 1 or 0. Only types that SQLite and PostgreSQL share.
 */

/** Interactions that this bot has taken: whoever inserts the id answers it. */
export interface InteractionsTable {
  readonly id: string;
  readonly guild_id: string;
  readonly taken_at: number;
  /** A sealed record as JSON, of what is needed to answer it in another run of the bot; null once it was answered. */
  readonly sealed: string | null;
}

/** What a member submits at once: one server or a thousand. */
export interface SubmissionsTable {
  /** Of the interaction that it came with. */
  readonly id: string;
  readonly guild_id: string;
  /** Null, like the name, once the member had it deleted. */
  readonly user_id: string | null;
  readonly user_name: string | null;
  /** `draft`: waits for a button. `running`: an interaction carries it out. `done`: it has ended. */
  readonly state: 'draft' | 'running' | 'done';
  /** Where its servers stood: in the options of a command, the lines of a text, or a message of Discord. */
  readonly source: 'options' | 'text' | 'message';
  /** Whether servers that the guild has submitted before are submitted again. */
  readonly again: number;
  /** JSON: lines that were refused, without passwords, at most 4,000 characters. */
  readonly refused_lines: string | null;
  /** JSON: lines that say the same as a server, as pairs: the number of the line, the position of the server. */
  readonly repeated_lines: string | null;
  /** The interaction that carries it out; null for a draft. */
  readonly interaction_id: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** The servers of a submission, and so what a guild has submitted. */
export interface ServersTable {
  readonly submission_id: string;
  /** Counted from 0, in the order of the input. */
  readonly position: number;
  readonly guild_id: string;
  /** Null once the member had it deleted. */
  readonly user_id: string | null;
  /** Stands for a deleted member until the last limit that counts the server has ended. */
  readonly user_hash: string | null;
  /** Where it began in the input, counted from 1; several may begin in one line. */
  readonly line: number;
  readonly host: string;
  /** 0 in a draft that lacks it. */
  readonly port: number;
  readonly query_port: number | null;
  /** The alias; empty in a draft that lacks it. */
  readonly game: string;
  /** 1: the guild had submitted it before when the draft was shown; it is left out unless the submission says `again`. */
  readonly submitted_before: number;
  /** Host and port as text, the same for every way to write them. */
  readonly address: string;
  /** Since when it counts for limits and is on its way for others; null as long as it is a draft or was given back. */
  readonly reserved_at: number | null;
  /** When the latest request with it was about to leave. */
  readonly sent_at: number | null;
  readonly ended_at: number | null;
  /** Null until it has ended. `unknown`: it was sent, and may have been received. `not-sent`: nothing left the machine. */
  readonly outcome: 'accepted' | 'rejected' | 'not-sent' | 'unknown' | null;
  /** The service's words, cut to 300 code points. */
  readonly message: string | null;
  /** JSON, an object with `reason`: why it was not sent, or why nobody knows; null where the outcome says it all. */
  readonly reason: string | null;
}

export interface Tables {
  readonly interactions: InteractionsTable;
  readonly submissions: SubmissionsTable;
  readonly servers: ServersTable;
}
