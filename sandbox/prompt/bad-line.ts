/** A line that could not be understood. The message says what was expected; a piped run ends with status 1. */
export class BadLine extends Error {
  override readonly name = 'BadLine';
}
