/** One function per bot in the current test file. It returns everything that the bot has printed since it was opened. */
export const outputs = new Set<() => string>();

/** The output of bots that have been shut down. The failing test may still have used them. */
export const closing: (() => string)[] = [];

/** Prints the end of this output if a test fails from now on. @returns a function to call when the bot is closed */
export function showWhenATestFails(output: () => string): () => void {
  outputs.add(output);
  return () => void closing.push(output);
}
