import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sample, scrape } from '../support/machine.ts';

export const RULES = join(import.meta.dirname, '../../ops/alerts.yml');

export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

export function promtool(...args: readonly string[]) {
  return spawnSync('promtool', args, { encoding: 'utf8' });
}

/** A bot's `/metrics` at a certain time, in seconds since 1970. */
export interface Scrape {
  readonly at: number;
  readonly samples: readonly Sample[];
}

export async function take(port: number): Promise<Scrape> {
  const samples = (await scrape(port)).filter(({ name }) => name.startsWith('listing_bot_'));
  return { at: Date.now() / 1000, samples };
}

/** How many minutes of healthy metrics precede the fault. promtool's clock starts at 0. */
const HEALTHY_MINUTES = 6;

/**
 * Feeds a bot's metrics into the rules, minute by minute. First repeats `before`, and then `after` for `minutes`. Checks
 * that only these alerts fire at the end, and none of them fires earlier. Shifts all times (`…_timestamp_seconds`) to
 * promtool's clock.
 */
export function expectFiring(
  alerts: readonly string[],
  { before, after, minutes }: { readonly before: Scrape; readonly after: Scrape; readonly minutes: number },
): void {
  const valueIn = ({ at, samples }: Scrape, from: number, key: string) => {
    const sample = samples.find(({ name, labels }) => name + labels === key);
    if (sample === undefined) return '_';
    const isTime = sample.name.endsWith('_timestamp_seconds') && sample.value > 0;
    return String(isTime ? sample.value - at + from * 60 : sample.value);
  };
  const keys = new Set(
    [before, after].flatMap(({ samples }) => samples.map(({ name, labels }) => name + labels)),
  );
  const series = [...keys].map((key) => ({
    series: key,
    values: [
      ...Array(HEALTHY_MINUTES).fill(valueIn(before, 0, key)),
      ...Array(minutes + 1).fill(valueIn(after, HEALTHY_MINUTES, key)),
    ].join(' '),
  }));
  const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
  const test = {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series,
        promql_expr_test: [
          { expr, eval_time: `${HEALTHY_MINUTES - 1}m`, exp_samples: [] },
          {
            expr,
            eval_time: `${HEALTHY_MINUTES + minutes}m`,
            exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
          },
        ],
      },
    ],
  };
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  try {
    // JSON is also valid YAML.
    writeFileSync(join(folder, 'test.yml'), JSON.stringify(test));
    const { status, stdout, stderr } = promtool('test', 'rules', join(folder, 'test.yml'));
    assert.equal(status, 0, stdout + stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
