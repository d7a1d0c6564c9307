/** What the bots of the present file have printed, each since it was opened. */
export const outputs = new Set<() => string>();

/** Closed, but perhaps in the test that fails. */
export const closing: (() => string)[] = [];

/** A test that fails from now on prints the end of this output. @returns ends it, once the bot is closed */
export function showWhenATestFails(output: () => string): () => void {
  outputs.add(output);
  return () => void closing.push(output);
}
