import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingNames } from '#core/config.ts';
import { definitions } from '#destinations/index.ts';
import { secretNames } from '#infra/generate/chart/schema.ts';
import { type Manifest, validate } from '../kubernetes/schemas.ts';
import { findHelm } from './program.ts';
import { componentOf, exampleFile, examples, golden, goldenText, lint, render } from './render.ts';

const found = findHelm();
if (found === undefined)
  process.stderr.write('The chart is not rendered: there is no helm; npm run test:helm builds one\n');
const helm = found ?? '';
const types = definitions.map(({ type }) => type);
const plain = [exampleFile('minimal')];

const one = (manifests: readonly Manifest[], kind: string, component = ''): Manifest => {
  const all = manifests.filter((each) => each.kind === kind && (component === '' || componentOf(each) === component));
  if (all[0] === undefined) throw new Error(`no ${kind} ${component}`);
  return all[0];
};

/** The first container of a process, and its pod. */
function podOf(manifests: readonly Manifest[], component: string) {
  const { template } = JSON.parse(JSON.stringify(one(manifests, 'Deployment', component).spec));
  return { pod: template.spec, container: template.spec.containers[0], annotations: template.metadata.annotations };
}

describe.skipIf(found === undefined)('helm', () => {
  test.each(examples)('finds nothing wrong with the chart and the values of %s', (name) => {
    expect(lint(helm, exampleFile(name))).toContain('0 chart(s) failed');
  });

  test.each(examples)('renders %s as committed (npm run test:helm -- --write after a change)', (name) => {
    const rendered = render(helm, [exampleFile(name)]);
    expect(goldenText(name, rendered)).toBe(readFileSync(join(golden, `${name}.yaml`), 'utf8'));
    for (const each of rendered) expect(() => validate(each), `${each.kind} ${each.metadata.name}`).not.toThrow();
  });

  test('renders the workers of all types alike', () => {
    const rendered = render(helm, plain, { keda: { enabled: true } });
    const texts = types.map((type) => {
      const own = rendered.filter((each) => componentOf(each) === `worker-${type}`);
      expect(own.map(({ kind }) => kind).toSorted()).toEqual(['Deployment', 'PodDisruptionBudget', 'ScaledObject']);
      return JSON.stringify(own).replaceAll(type, '<type>');
    });
    expect(new Set(texts).size).toBe(1);
  });

  test('passes every setting to the processes without changing digits', () => {
    const plainNames = settingNames.filter((name) => !secretNames.includes(name) && !name.includes('PORT'));
    const settings = Object.fromEntries(plainNames.map((name, index) => [name, 33_554_432 + index]));
    const secretSettings = Object.fromEntries(secretNames.map((name) => [name, { name: 'kept', key: name }]));
    const rendered = render(helm, plain, { settings, secretSettings });
    expect(one(rendered, 'ConfigMap').data).toMatchObject(
      Object.fromEntries(plainNames.map((name, index) => [name, String(33_554_432 + index)])),
    );
    for (const component of ['api', 'sweep', `worker-${types[0]}`]) {
      const { container } = podOf(rendered, component);
      expect(container.env.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining([...secretNames]));
      expect(container.envFrom).toEqual([{ configMapRef: { name: 'keyferry' } }]);
    }
  });

  test('keeps booleans, and leaves out empty values', () => {
    const settings = { KEYFERRY_REQUIRE_REQUEST_HEADER: false, KEYFERRY_SWEEP_MS: 0, KEYFERRY_PUBLIC_URL: '' };
    const data = one(render(helm, plain, { settings }), 'ConfigMap').data ?? {};
    expect(data).toMatchObject({ KEYFERRY_REQUIRE_REQUEST_HEADER: 'false', KEYFERRY_SWEEP_MS: '0' });
    expect(data).not.toHaveProperty('KEYFERRY_PUBLIC_URL');
  });

  test.each([
    ['a secret of the chart', { tls: { secret: 'tls' } }],
    ['a setting', { settings: { KEYFERRY_TLS_CERT_FILE: '/tls/cert.pem' } }],
  ])('calls an API whose certificate comes from %s over TLS', (_what, values) => {
    const rendered = render(helm, plain, values);
    expect(podOf(rendered, 'api').container.readinessProbe.httpGet.scheme).toBe('HTTPS');
    expect(JSON.stringify(one(rendered, 'Service').spec)).toContain('"appProtocol":"https"');
  });

  test('probes and scrapes the configured ports', () => {
    const moved = render(helm, plain, { settings: { PORT: 9000, KEYFERRY_METRICS_PORT: 9001 } });
    const { container, annotations } = podOf(moved, 'api');
    expect(container.ports).toEqual([
      { name: 'http', containerPort: 9000 },
      { name: 'metrics', containerPort: 9001 },
    ]);
    expect(annotations['prometheus.io/port']).toBe('9001');
    const without = render(helm, plain, { settings: { KEYFERRY_METRICS_PORT: '' } });
    expect(podOf(without, 'sweep').container.ports).toBeUndefined();
    expect(JSON.stringify(without)).not.toContain('"port":"metrics"');
    expect(podOf(without, 'sweep').annotations).not.toHaveProperty(['prometheus.io/scrape']);
  });

  test('gives processes a longer grace period than they need', () => {
    expect(podOf(render(helm, plain), 'api').pod.terminationGracePeriodSeconds).toBe(45);
    const longer = render(helm, plain, { settings: { KEYFERRY_SHUTDOWN_MS_MAX: 90_500 } });
    expect(podOf(longer, 'sweep').pod.terminationGracePeriodSeconds).toBe(126);
  });

  test('restarts the processes when a setting changes', () => {
    const sums = [{}, { KEYFERRY_LOG_LEVEL: 'warn' }].map(
      (settings) => podOf(render(helm, plain, { settings }), 'sweep').annotations['checksum/settings'],
    );
    expect(new Set(sums).size).toBe(2);
  });

  test('prefers the values of a worker to those of all workers, and these to those of all processes', () => {
    const [first = '', second = '', third = ''] = types;
    const rendered = render(helm, plain, {
      defaults: { priorityClassName: 'all', nodeSelector: { pool: 'all' } },
      workerDefaults: { priorityClassName: 'workers', replicas: 3 },
      workers: { [first]: { priorityClassName: 'own', replicas: 0 }, [third]: { enabled: false } },
    });
    expect(podOf(rendered, 'api').pod).toMatchObject({ priorityClassName: 'all', nodeSelector: { pool: 'all' } });
    expect(podOf(rendered, `worker-${second}`).pod.priorityClassName).toBe('workers');
    expect(one(rendered, 'Deployment', `worker-${second}`).spec).toMatchObject({ replicas: 3 });
    expect(podOf(rendered, `worker-${first}`).pod.priorityClassName).toBe('own');
    expect(one(rendered, 'Deployment', `worker-${first}`).spec).toMatchObject({ replicas: 0 });
    expect(rendered.some((each) => componentOf(each) === `worker-${third}`)).toBe(false);
  });

  test.each([
    ['single', 'redis', 'address'],
    ['cluster', 'redis-cluster', 'addresses'],
    ['sentinel', 'redis-sentinel', 'addresses'],
  ])('configures the autoscaler for the mode of Redis: %s', (mode, trigger, parameter) => {
    const keda = { enabled: true, sentinelMaster: 'main', tls: true, databaseIndex: mode === 'single' ? 2 : 0 };
    const rendered = render(helm, plain, { redis: { mode }, keda });
    const { triggers } = JSON.parse(JSON.stringify(one(rendered, 'ScaledObject').spec));
    expect(triggers).toHaveLength(4);
    for (const each of triggers) {
      expect(each.type).toBe(trigger);
      expect(each.metadata).toMatchObject({
        enableTLS: 'true',
        ...(mode === 'sentinel' ? { sentinelMaster: 'main' } : {}),
        ...(mode === 'single' ? { databaseIndex: '2' } : {}),
      });
    }
    expect(JSON.stringify(one(rendered, 'TriggerAuthentication').spec)).toContain(`"parameter":"${parameter}"`);
  });

  test('has no agent unless it is switched on, and keeps a mounted /tmp', () => {
    const usual = render(helm, plain);
    expect(usual.some((each) => componentOf(each) === 'agent')).toBe(false);
    expect(JSON.stringify(usual)).not.toContain('-agent');
    expect(podOf(usual, 'sweep').pod.volumes).toEqual([{ name: 'keyferry-temporary', emptyDir: { sizeLimit: '8Gi' } }]);
    const own = {
      extraVolumes: [{ name: 'own', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'own', mountPath: '/tmp' }],
    };
    expect(podOf(render(helm, plain, own), 'api').pod.volumes).toEqual([{ name: 'own', emptyDir: {} }]);
  });

  test('gives an agent the address of the service, and time for a run', () => {
    const settings = { KEYFERRY_PUBLIC_URL: 'https://keyferry.example' };
    const { pod, container } = podOf(render(helm, plain, { settings, agent: { enabled: true } }), 'agent');
    expect(container.env).toContainEqual({ name: 'KEYFERRY_AGENT_ADDRESS', value: 'https://keyferry.example' });
    expect(pod.terminationGracePeriodSeconds).toBe(7_320);
  });

  test.each([
    ['an agent without an address', { agent: { enabled: true } }, 'agent.address'],
    [
      'the token of an agent in plain text',
      { agent: { settings: { KEYFERRY_AGENT_TOKEN: 'x' } } },
      'KEYFERRY_AGENT_TOKEN',
    ],
    [
      'sentinels without the name of their master',
      { redis: { mode: 'sentinel' }, keda: { enabled: true } },
      'sentinelMaster',
    ],
    [
      'a monitor without a port',
      { metrics: { serviceMonitor: { enabled: true } }, settings: { KEYFERRY_METRICS_PORT: '' } },
      'METRICS_PORT',
    ],
    ['an ingress without hosts', { api: { ingress: { enabled: true } } }, 'hosts'],
    ['a seal key in plain text', { settings: { KEYFERRY_SEAL_KEY: '00' } }, 'KEYFERRY_SEAL_KEY'],
    ['an unknown value', { replicas: 3 }, 'replicas'],
  ])('refuses %s', (_what, values, text) => {
    expect(() => render(helm, plain, values)).toThrow(text);
  });
});
