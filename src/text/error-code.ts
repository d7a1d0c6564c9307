/** Returns the code of an error from Node or a library, such as `ENOENT`, or '' if it has none. */
export const codeOf = (error: unknown): string => String(Object(error).code ?? '');
