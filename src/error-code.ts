/** Returns the code of a Node or library error, such as `ENOENT`; '' if it has none. */
export const codeOf = (error: unknown): string => String(Object(error).code ?? '');
