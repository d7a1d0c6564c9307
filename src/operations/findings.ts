/** What a check has found. */
export interface Finding {
  readonly check: string;
  /** `skipped`: another check has to succeed first. */
  readonly state: 'ok' | 'failed' | 'skipped';
  readonly says: string;
  /** How it is mended. */
  readonly mend?: string;
}

/** Something is not as it must be. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
  readonly mend: string;
  constructor(says: string, mend: string) {
    super(says);
    this.mend = mend;
  }
}

/** Carries one check out: what it returns is said. Whatever else it throws is a failure that nobody foresaw. */
export async function find(check: string, look: () => Promise<string> | string): Promise<Finding> {
  try {
    return { check, state: 'ok', says: await look() };
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    const mend = error instanceof CheckFailure ? error.mend : 'nobody foresaw this: please report it';
    return { check, state: 'failed', says, mend };
  }
}

const MARKS = { ok: 'ok', failed: 'FAILED', skipped: 'skipped' } as const;

/** The findings, a line each, what fails with its mend below it. */
export function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat('skipped'.length + 2 + width + 2);
  const lines = findings.flatMap(({ check, state, says, mend }) => [
    `${MARKS[state].padEnd('skipped'.length)}  ${check.padEnd(width)}  ${says.replaceAll('\n', `\n${indent}`)}`,
    ...(mend === undefined ? [] : [`${indent}→ ${mend}`]),
  ]);
  const failed = findings.filter(({ state }) => state === 'failed').length;
  const summary = failed === 0 ? 'Everything is in order.' : `${failed} of ${findings.length} checks failed.`;
  return `${lines.join('\n')}\n\n${summary}\n`;
}
