/**
 * Names of the writes that aren't synced to disk, so a power failure can undo them. All other writes are synced: each is
 * followed by a message, a request to the listing service, or a log line that asks the operator to act. A synced write also
 * syncs all earlier writes.
 */
export type UnsyncedWrite =
  /**
   * An interaction is recorded, or marked as replied to. A later write that must not be lost also syncs the record. Without
   * such a write, the interaction didn't change anything. If the mark is lost, the bot repeats the reply.
   */
  | 'interaction'
  /** An interaction claims a message that it edits. No edit is in progress after a power failure. */
  | 'edit claim'
  /** A process claims a job. No job is in progress after a power failure, and the next process may run it again. */
  | 'job claim'
  /** The hourly job deletes expired data. It deletes the data again if it's still there an hour later. */
  | 'pruning'
  /** The health check writes a value that is never read. */
  | 'health check'
  /**
   * Servers are reserved. The next write is always synced: it marks the servers as being sent or, if they wait for a
   * moderator or can't be sent, is `sync`.
   */
  | 'reservation';
