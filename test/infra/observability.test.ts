import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { definitions } from '#destinations/index.ts';
import { counters, gauges, histograms } from '#telemetry/metrics/instruments.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFile(new URL(file, root), 'utf8');

const rules = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.object({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.object({ summary: z.string(), description: z.string().optional() }),
        }),
      ),
    }),
  ),
});
const target = z.object({ expr: z.string() });
const dashboard = z.object({
  title: z.string(),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
  panels: z.array(z.object({ id: z.int(), type: z.string(), title: z.string(), targets: z.array(target).default([]) })),
});

const alerts = rules
  .parse(parse(await read('infra/observability/prometheus/alerts.yml')))
  .groups.flatMap((group) => group.rules);
const board = dashboard.parse(JSON.parse(await read('infra/observability/grafana/keyferry.json')));
const queries = board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** The metric names of a scrape, including the parts of histograms. */
const exposed = (async () => {
  const text = (await openMetrics().text()).body;
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
    ),
  );
})();

const deprecated = Object.entries({ ...counters, ...histograms, ...gauges }).flatMap(([name, instrument]) =>
  'deprecated' in instrument ? [name] : [],
);

const namesIn = (text: string) => text.match(/\b(?:keyferry|nodejs|process)_\w+/g) ?? [];

describe('the dashboard and the alerts', () => {
  test('name existing metrics', async () => {
    const names = new Set([...queries, ...alerts.map(({ expr }) => expr)].flatMap(namesIn));
    expect(names.size).toBeGreaterThan(20);
    const there = await exposed;
    expect([...names].filter((name) => !there.has(name))).toEqual([]);
  });

  test('show each of our instruments, and none that is deprecated', async () => {
    const shown = new Set(
      [...queries, ...alerts.map(({ expr }) => expr)]
        .flatMap(namesIn)
        .map((name) => name.replace(/_(bucket|sum|count)$/, '')),
    );
    const ours = [...(await exposed)]
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
      .filter((name) => name.startsWith('keyferry_'));
    expect(deprecated).not.toEqual([]);
    expect([...new Set(ours)].filter((name) => !shown.has(name))).toEqual(deprecated);
  });

  test('do not name any destination type', () => {
    const text = JSON.stringify([board, alerts]);
    expect(definitions.map(({ type }) => type).filter((type) => text.includes(type))).toEqual([]);
  });
});

test('the dashboard can be imported: its data source is a variable, and panel ids are unique', () => {
  expect(board.templating.list.map(({ name, type }) => [name, type])).toEqual([
    ['datasource', 'datasource'],
    ['type', 'query'],
  ]);
  const ids = board.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(board.panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual(
    expect.arrayContaining(['API', 'Sync by type', 'Queue', 'Gates', 'Processes']),
  );
});

test('the page about observability has each instrument with its labels, and each alert', async () => {
  const page = await read('docs/operating/observability.md');
  for (const [name, { labels }] of Object.entries({ ...counters, ...histograms, ...gauges })) {
    const cell = labels.map((label) => `\`${label}\``).join(', ');
    expect(page, name).toMatch(new RegExp(`^\\| \`${name}\` \\| ${cell}${cell === '' ? '' : ' '}\\|`, 'm'));
  }
  for (const { alert } of alerts) expect(page).toContain(`\`${alert}\``);
});

test('alert names are unique', () => {
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  expect(alerts.length).toBeGreaterThan(8);
});

test('prometheus.yml scrapes the ports that docker-compose.yml opens', async () => {
  const scraped = z
    .object({
      scrape_configs: z.array(
        z.object({
          static_configs: z.array(z.object({ targets: z.array(z.string()) })),
          dns_sd_configs: z.array(z.object({ names: z.array(z.string()), port: z.number() })).default([]),
        }),
      ),
    })
    .parse(parse(await read('infra/observability/prometheus/prometheus.yml')));
  const targets = scraped.scrape_configs.flatMap(({ static_configs: fixed, dns_sd_configs: found }) => [
    ...fixed.flatMap((one) => one.targets),
    ...found.flatMap(({ names, port }) => names.map((name) => `${name}:${port}`)),
  ]);
  const compose = z
    .object({
      services: z.record(
        z.string(),
        z.object({
          environment: z.record(z.string(), z.string()).default({}),
          network_mode: z.string().optional(),
          profiles: z.array(z.string()).default([]),
        }),
      ),
    })
    .parse(parse(await read('docker-compose.yml'), { merge: true }));
  const opened = Object.entries(compose.services).flatMap(([name, { environment, network_mode: mode }]) => {
    const port = environment['KEYFERRY_METRICS_PORT'];
    return port === undefined ? [] : [`${mode?.replace('service:', '') ?? name}:${port}`];
  });
  const inProfile = (profile: string) =>
    Object.keys(compose.services).filter((name) => compose.services[name]?.profiles.includes(profile));
  expect(inProfile('observability').toSorted()).toEqual(['grafana', 'jaeger', 'prometheus']);
  expect(inProfile('ha')).toContain('api-2');
  expect(opened).toHaveLength(definitions.length + 3);
  expect(targets.toSorted()).toEqual(opened.toSorted());
});

const run = promisify(execFile);
const promtool = process.env['PROMTOOL'] ?? 'promtool';
const found = await run(promtool, ['--version']).then(
  () => true,
  () => false,
);
if (!found) console.info('promtool is not there (package "prometheus", or PROMTOOL): the rules are not checked by it');

test.skipIf(!found)('promtool finds no mistake in the rules and the configuration', async () => {
  const at = (file: string) => new URL(file, root).pathname;
  expect((await run(promtool, ['check', 'rules', at('infra/observability/prometheus/alerts.yml')])).stdout).toContain(
    'SUCCESS',
  );
  expect(
    (await run(promtool, ['check', 'config', at('infra/observability/prometheus/prometheus.yml')])).stdout,
  ).toContain('SUCCESS');
});
