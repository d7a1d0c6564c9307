/** The code of an error of Node's or of a library, such as `ENOENT`; '' where it has none. */
export const codeOf = (error: unknown): string => String(Object(error).code ?? '');
