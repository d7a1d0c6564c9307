/**
 * An error whose message can be shown to the member as it is (a whole, translated sentence). Every other error is logged,
 * and the member sees a text with a reference id.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}
