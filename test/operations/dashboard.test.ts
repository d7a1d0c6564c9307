import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { inAppScene } from '../support/scene.ts';

const ops = (name: string) => readFileSync(join(import.meta.dirname, '../../ops', name), 'utf8');
const METRIC = /\b(?:listing_bot|nodejs|process)_[a-z0-9_]+/g;

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

/** The names under which samples of every metric are, by what `/metrics` says of its types. */
async function namesOfSamples(): Promise<ReadonlySet<string>> {
  const port = await freePort();
  let text = '';
  await inAppScene({ env: { HTTP_PORT: String(port) } }, async () => {
    text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  });
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set(names);
}

describe('what ops/ has for Prometheus and Grafana', () => {
  it('asks for metrics that exist, and the dashboard for every one of ours', async () => {
    const names = await namesOfSamples();
    const dashboard = ops('grafana-dashboard.json').match(METRIC) ?? [];
    const rules = ops('alerts.yml').match(METRIC) ?? [];
    expect(dashboard.length).toBeGreaterThan(20);
    expect(rules.length).toBeGreaterThan(7);
    expect([...dashboard, ...rules].filter((name) => !names.has(name))).toEqual([]);
    const asked = new Set(dashboard.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
    const ours = new Set(
      [...names]
        .filter((name) => name.startsWith('listing_bot_'))
        .map((name) => name.replace(/_(?:bucket|sum|count)$/, '')),
    );
    expect([...ours].filter((name) => !asked.has(name))).toEqual([]);
  });

  it('has a dashboard whose panels have a question each, and do not lie on one another', () => {
    const { panels } = JSON.parse(ops('grafana-dashboard.json')) as Dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { title, targets, gridPos } of panels) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr } of targets) expect(expr, title).toContain('$instance');
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x}/${y}`), title).toBe(false);
          taken.add(`${x}/${y}`);
        }
      }
    }
  });
});
