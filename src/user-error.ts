/**
 * An error whose message is a complete, translated sentence that can be shown to the member unchanged. Every other error is
 * logged, and the member sees a message with a reference ID.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}
