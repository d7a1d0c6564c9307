/**
 * A refusal whose message may be shown to the member as it stands (a whole, translated sentence).
 * Everything else that is thrown is logged, and the member sees a sentence with a reference id.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}
