export interface Finding {
  readonly check: string;
  /** `skipped`: the check doesn't apply. `warning`: something needs attention, but the bot works. */
  readonly state: 'ok' | 'failed' | 'warning' | 'skipped';
  readonly text: string;
  readonly fix?: string;
}

export class CheckFailedError extends Error {
  override readonly name: string = 'CheckFailedError';
  readonly fix: string;
  constructor(text: string, fix: string) {
    super(text);
    this.fix = fix;
  }
}

/** The bot works, but probably not as the operator intended. */
export class CheckWarningError extends CheckFailedError {
  override readonly name = 'CheckWarningError';
}

export class CheckSkippedError extends Error {
  override readonly name = 'CheckSkippedError';
}

/** Runs a check and returns its result as a finding. Errors other than the check errors count as unexpected failures. */
export async function find(check: string, run: () => Promise<string> | string): Promise<Finding> {
  try {
    return { check, state: 'ok', text: await run() };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof CheckSkippedError) return { check, state: 'skipped', text };
    const fix = error instanceof CheckFailedError ? error.fix : 'this is unexpected: please report it';
    return { check, state: error instanceof CheckWarningError ? 'warning' : 'failed', text, fix };
  }
}

const MARK_WIDTH = 'skipped'.length;

export function linesOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(MARK_WIDTH + 2 + width + 2);
  const lines: string[] = [];
  for (const { check, state, text, fix } of findings) {
    const indented = text.replaceAll('\n', `\n${indent}`);
    const mark = state === 'failed' ? 'FAILED' : state;
    lines.push(`${mark.padEnd(MARK_WIDTH)}  ${check.padEnd(width)}  ${indented}`);
    if (fix !== undefined) lines.push(`${indent}→ ${fix}`);
  }
  return `${lines.join('\n')}\n`;
}

export function table(findings: readonly Finding[]): string {
  return `${linesOf(findings)}\n${summaryOf(findings)}\n`;
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted).length;
  if (count('failed') > 0) return `${count('failed')} of ${findings.length} checks failed.`;
  if (count('warning') > 0) return `The bot has what it needs; warnings: ${count('warning')}.`;
  return 'Everything is in order.';
}
