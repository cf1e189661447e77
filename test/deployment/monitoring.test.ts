import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { renderChart } from './chart';
import { variants } from './chart-values';
import { root } from './dockerfile';
import { at, theOnly } from './manifests';
import { anchors } from './markdown';
import { missing, servedSeries, type ServedSeries } from './served-metrics';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const rules = parse(read('deploy/prometheus/alerts.yaml')) as { groups: readonly { rules: readonly Alert[] }[] };
const alerts = rules.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('deploy/grafana/dashboard.json')) as { panels: readonly Panel[] };

let served: ServedSeries;
beforeAll(async () => {
  served = await servedSeries();
});

describe('an alert rule', () => {
  it.each(alerts.map(({ alert, expr }) => [alert, expr]))(
    'reads only metrics that the service exposes (%s)',
    (_, expr) => {
      expect(missing(expr, served)).toEqual([]);
    },
  );

  it('has a name of its own, a severity and a chapter of the runbook', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    expect(alerts.filter(({ labels }) => !['critical', 'warning'].includes(labels.severity))).toEqual([]);
    const chapters = anchors(read('docs/runbook.md')).map((anchor) => `docs/runbook.md#${anchor}`);
    expect(alerts.filter(({ annotations }) => !chapters.includes(annotations.runbook))).toEqual([]);
  });

  it('uses only labels that its expression keeps', () => {
    for (const { alert, expr, annotations } of alerts) {
      const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      const aggregated = /\b(sum|max|min|count) by \(([^)]*)\)/.exec(expr)?.[2]?.split(', ') ?? ['instance'];
      expect([alert, shown.filter((label) => !aggregated.includes(label))]).toEqual([alert, []]);
    }
  });

  it('is in the chart as it is in the file', () => {
    const chart = theOnly(renderChart(variants['everything on'] ?? {}), 'PrometheusRule');
    expect(at(chart, 'spec.groups')).toEqual(rules.groups);
  });

  it('is rejected when it reads a metric that the service does not expose', () => {
    expect(missing('sum by (colour) (rate(sealwright_offers_total{outcome="fetchd"}[5m]))', served)).toEqual([
      'label colour',
      'sealwright_offers_total outcome="fetchd"',
    ]);
    expect(missing('sealwright_nothing_total > 1', served)).toEqual(['metric sealwright_nothing_total']);
    expect(missing('sealwright_offers_total{le="1"}', served)).toEqual(['label le of sealwright_offers_total']);
    expect(() => missing('sum(', served)).toThrow('no PromQL');
  });
});

describe('the dashboard', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');
  // Grafana fills in its variables before Prometheus reads the expression.
  const filled = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');

  it.each(panels.map(({ title, targets = [] }) => [title, targets.map(({ expr }) => filled(expr))] as const))(
    'reads only metrics that the service exposes (%s)',
    (_, expressions) => {
      expect(expressions.flatMap((expr) => missing(expr, served))).toEqual([]);
      expect(expressions.filter((expr) => !expr.includes('{job="sealwright", namespace=~"$namespace"'))).toEqual([]);
    },
  );

  it('uses in each legend a label that its expression keeps', () => {
    for (const { title, targets = [] } of panels) {
      for (const { expr, legendFormat } of targets) {
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
        const left = /\b(sum|max) by \(([^)]*)\)/.exec(expr)?.[2]?.split(', ') ?? ['instance'];
        expect([title, shown.filter((label) => !left.includes(label))]).toEqual([title, []]);
      }
    }
  });

  it('describes every panel, with a unit and a position of its own', () => {
    expect(panels.filter(({ description, fieldConfig }) => !description || !fieldConfig?.defaults.unit)).toEqual([]);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});

const promtoolIsHere = spawnSync('promtool', ['--version']).status === 0;
(promtoolIsHere ? describe : describe.skip)(
  `Prometheus itself${promtoolIsHere ? '' : ' (skipped: there is no promtool on the PATH)'}`,
  () => {
    it('accepts the rules and fires them when it should', () => {
      const promtool = (...words: string[]): string => execFileSync('promtool', words, { cwd: root, encoding: 'utf8' });
      expect(promtool('check', 'rules', 'deploy/prometheus/alerts.yaml')).toContain('SUCCESS');
      expect(promtool('test', 'rules', 'test/deployment/alerts.promtool.yaml')).toContain('SUCCESS');
    });
  },
);
