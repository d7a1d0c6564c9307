export const codeOf = (error: unknown): string => String(Object(error).code ?? '');
