export interface Finding {
  readonly check: string;
  /** `skipped`: another check has to succeed first. */
  readonly state: 'ok' | 'failed' | 'skipped';
  readonly says: string;
  readonly mend?: string;
}

export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
  readonly mend: string;
  constructor(says: string, mend: string) {
    super(says);
    this.mend = mend;
  }
}

/** There was nothing to check; the message says why. */
export class CheckSkipped extends Error {
  override readonly name = 'CheckSkipped';
}

/** Carries out a check, which returns what to say. Any other error that it throws is a failure that nobody foresaw. */
export async function find(check: string, look: () => Promise<string> | string): Promise<Finding> {
  try {
    return { check, state: 'ok', says: await look() };
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    if (error instanceof CheckSkipped) return { check, state: 'skipped', says };
    const mend = error instanceof CheckFailure ? error.mend : 'nobody foresaw this: please report it';
    return { check, state: 'failed', says, mend };
  }
}

const MARKS = { ok: 'ok', failed: 'FAILED', skipped: 'skipped' } as const;
const MARK_WIDTH = 'skipped'.length;

/** The findings, a line each; below what fails, how to mend it. */
export function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(MARK_WIDTH + 2 + width + 2);
  const lines: string[] = [];
  for (const { check, state, says, mend } of findings) {
    const text = says.replaceAll('\n', `\n${indent}`);
    lines.push(`${MARKS[state].padEnd(MARK_WIDTH)}  ${check.padEnd(width)}  ${text}`);
    if (mend !== undefined) lines.push(`${indent}→ ${mend}`);
  }
  const failed = findings.filter(({ state }) => state === 'failed').length;
  const summary = failed === 0 ? 'Everything is in order.' : `${failed} of ${findings.length} checks failed.`;
  return `${lines.join('\n')}\n\n${summary}\n`;
}
