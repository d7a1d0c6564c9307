/** Drops the error of `JSON.parse`, because it quotes the text, which may contain secrets. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
