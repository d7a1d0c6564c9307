/** Typed text that a sentence shows between backticks, where only a backtick could end the quotation. */
export const quoted = (text: string): string => text.replaceAll('`', "'").replace(/\s+/gu, ' ');

/** The values of a problem, with every text fit to be shown between backticks. */
export function quotedValues(problem: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(problem).map(([name, value]) => [name, typeof value === 'string' ? quoted(value) : value]),
  );
}
