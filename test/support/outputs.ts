/** One function per bot in the current test file. Each function returns everything that its bot has printed. */
export const outputs = new Set<() => string>();

/** The output of closed bots that the current test might have used. */
export const closing: (() => string)[] = [];

/** Prints the end of a bot's output if a test fails. @returns a function to call when the bot is closed */
export function showWhenATestFails(output: () => string): () => void {
  outputs.add(output);
  return () => void closing.push(output);
}
