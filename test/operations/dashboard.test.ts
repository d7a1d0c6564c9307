import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { botTest } from '../support/bot.ts';
import { samplesOf } from '../support/machine.ts';

const METRIC = /\b(?:listing_bot|nodejs|process)_[a-z0-9_]+/g;
/** The suffixes of a histogram's samples. */
const SUFFIX = /_(?:bucket|sum|count)$/;

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly fieldConfig: { readonly defaults: { readonly unit: string } };
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const ops = (name: string) => readFileSync(join(import.meta.dirname, '../../ops', name), 'utf8');
const dashboard: Dashboard = JSON.parse(ops('grafana-dashboard.json'));
const targets = dashboard.panels.flatMap((panel) => panel.targets);

const HTTP_PORT = String(await quietPort());
/** Passes the response of `/metrics` to each test. */
const it = botTest({ env: { HTTP_PORT } }).extend('metrics', async ({ bot: _bot }) => {
  const response = await fetch(`http://127.0.0.1:${HTTP_PORT}/metrics`);
  return response.text();
});

describe('the Prometheus and Grafana files', () => {
  it('query only existing metrics', ({ metrics }) => {
    const names = new Set([...metrics.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name));
    const asked = targets.flatMap(({ expr }) => expr.match(METRIC) ?? []);
    const inRules = ops('alerts.yml').match(METRIC) ?? [];
    const exists = (name: string) => names.has(name) || names.has(name.replace(SUFFIX, ''));
    expect([...asked, ...inRules].filter((name) => !exists(name))).toEqual([]);
    expect(inRules.length).toBeGreaterThan(7);
    const shown = new Set(asked.flatMap((name) => [name, name.replace(SUFFIX, '')]));
    expect([...names].filter((name) => name.startsWith('listing_bot_') && !shown.has(name))).toEqual([]);
  });

  it('use only existing labels, and filter by instance', ({ metrics }) => {
    const samples = samplesOf(metrics);
    for (const { expr, legendFormat } of targets) {
      const own = samples.filter(({ name }) => expr.includes(name));
      const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g), ...expr.matchAll(/\b(\w+)="\w/g)];
      const missing = labels.filter(
        ([, label]) => !own.some((sample) => sample.labels.includes(`${label}="`)),
      );
      expect(
        missing.map(([found]) => found),
        expr,
      ).toEqual([]);
      expect(expr).toContain('$instance');
    }
  });

  it('never show event counts as durations', () => {
    const durations = dashboard.panels.filter(({ fieldConfig }) => fieldConfig.defaults.unit === 's');
    const shown = durations.flatMap((panel) => panel.targets).map(({ expr }) => expr);
    expect(shown.filter((expr) => expr.includes('_total'))).toEqual([]);
  });
});
