/** Returns the code of an error from Node or a library, such as `ENOENT`, or '' for any other error. */
export const codeOf = (error: unknown): string => String(Object(error).code ?? '');
