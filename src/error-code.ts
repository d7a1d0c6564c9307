/** The code of an error of Node's or of a library, such as `ENOENT`; '' where it has none. */
export const codeOf = (error: unknown): string => String(Object(error).code ?? '');

/** Whether too many files are open in this process, or on the whole machine. */
export const isOutOfHandles = (error: unknown): boolean => /^(?:EMFILE|ENFILE)$/.test(codeOf(error));
