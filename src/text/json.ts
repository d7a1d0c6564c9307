/** Returns the value that a text contains as JSON, or `undefined` if the text isn't JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
