/** Returns the code of a Node or library error, such as `ENOENT`; '' if it has none. */
export const codeOf = (error: unknown): string => String(Object(error).code ?? '');

/** Whether too many files are open in this process, or on the whole machine. */
export const isOutOfHandles = (error: unknown): boolean => /^(?:EMFILE|ENFILE)$/.test(codeOf(error));
