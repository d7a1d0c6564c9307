/** Control characters that no text file has; tab, line ends and form feed are none of them. */
const BINARY = /(?![\t\n\v\f\r\u0085])\p{Cc}/u;

/**
 * The text of an uploaded file: UTF-8, or UTF-16 when a byte order mark says so, or what a spreadsheet on
 * Windows saves (code page 1252) when it is neither and still looks like text.
 * @returns undefined for something that is no text
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const text = decode(bytes);
  return BINARY.test(text) ? undefined : text;
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
