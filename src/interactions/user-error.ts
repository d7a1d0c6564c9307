import type { RefusalReason } from './traces.ts';

/**
 * An error with a complete, translated message that the member sees unchanged. All other errors are logged, and the member
 * sees a reference id.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly reason: RefusalReason;
  constructor(message: string, reason: RefusalReason = 'command') {
    super(message);
    this.reason = reason;
  }
}
