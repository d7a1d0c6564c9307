/** The outputs of the present file's bots, each since it was opened. */
export const outputs = new Set<() => string>();

/** Outputs of closed bots, which the failing test may still have used. */
export const closing: (() => string)[] = [];

/** Prints the end of this output if a test fails from now on. @returns a function to call when the bot is closed */
export function showWhenATestFails(output: () => string): () => void {
  outputs.add(output);
  return () => void closing.push(output);
}
