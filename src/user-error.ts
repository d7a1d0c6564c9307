/**
 * A refusal whose message may be shown to the member as it stands (a whole, translated sentence).
 * Everything else that is thrown is logged, and the member sees a sentence with a reference id.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** What the pressed message was about is gone, so none of its buttons can do anything any more. */
  readonly isOver: boolean;

  constructor(message: string, { isOver = false }: { readonly isOver?: boolean } = {}) {
    super(message);
    this.isOver = isOver;
  }
}

/** See {@link UserError.isOver}. */
export const isOver = (error: unknown): boolean => error instanceof UserError && error.isOver;
