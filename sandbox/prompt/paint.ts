import { styleText } from 'node:util';

/** Puts text in a style where the output can show it; elsewhere the text stays as it is. */
export type Paint = (style: 'bold' | 'dim' | 'italic' | 'underline' | 'cyan' | 'red', text: string) => string;

/** No styles: for pipes and tests. */
export const plain: Paint = (_style, text) => text;

/** Styles for a terminal; none when the stream is not one, or `NO_COLOR` is set. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}
