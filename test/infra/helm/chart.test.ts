import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settingNames } from '#core/config.ts';
import { definitions } from '#destinations/index.ts';
import { secretNames } from '#infra/generate/chart/schema.ts';
import { keysBelow, usualPrefix } from '#queue/parts.ts';
import { capabilitiesOfAgent } from '../../agent/apart/shipped.ts';
import { manifestsOf, validate } from '../kubernetes/schemas.ts';
import { chart, componentOf, exampleFile, examples, golden } from './render.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const schemaText = read(join(chart, 'values.schema.json'));
const schema = z.fromJSONSchema(JSON.parse(schemaText));
const members = z.object({
  properties: z.record(z.string(), z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() })),
});
const { properties } = members.parse(JSON.parse(schemaText));
const namesIn = (part: string): readonly string[] => Object.keys(properties[part]?.properties ?? {});
const values = parse(read(join(chart, 'values.yaml')));
const types = definitions.map(({ type }) => type);

const container = z.looseObject({
  securityContext: z.unknown(),
  readinessProbe: z.unknown().optional(),
  livenessProbe: z.unknown().optional(),
  startupProbe: z.unknown().optional(),
});
const labels = z.record(z.string(), z.string());
const policyShape = z.looseObject({ podSelector: z.looseObject({ matchLabels: labels }) });
const isChosen = (wanted: z.infer<typeof labels>, own: z.infer<typeof labels>): boolean =>
  Object.entries(wanted).every(([name, value]) => own[name] === value);

const agentContainer = z.looseObject({
  env: z.array(z.looseObject({ name: z.string() })),
  volumeMounts: z.array(z.looseObject({ name: z.string(), readOnly: z.boolean().optional() })),
  readinessProbe: z.unknown(),
});
const agentPod = z.looseObject({
  template: z.looseObject({
    metadata: z.looseObject({ labels }),
    spec: z.looseObject({
      volumes: z.array(z.unknown()),
      terminationGracePeriodSeconds: z.number(),
      containers: z.array(agentContainer),
    }),
  }),
});

const pod = z.looseObject({ securityContext: z.unknown(), containers: z.array(container) });
const podOf = (spec: unknown) => z.looseObject({ template: z.looseObject({ spec: pod }) }).parse(spec).template.spec;

describe('the values of the chart', () => {
  test.each([
    ['values.yaml', join(chart, 'values.yaml')] as const,
    ...examples.map((name) => [name, exampleFile(name)] as const),
  ])('%s keeps to the schema', (_name, file) => {
    expect(schema.safeParse(parse(read(file))).error?.message).toBeUndefined();
  });

  test.each([
    ['a value', { relicas: 2 }],
    ['a setting', { settings: { KEYFERRY_LOG_LEVL: 'info' } }],
    ['a value of a worker', { workers: { 'cloud-a-sm': { replica: 2 } } }],
    ['a destination type', { workers: { 'cloud-z-sm': {} } }],
  ])('with a slip in the name of %s are refused', (_what, wrong) => {
    expect(schema.safeParse(wrong).success).toBe(false);
  });

  test('take every setting of the service, and secret settings from Kubernetes secrets only', () => {
    expect(settingNames.length).toBeGreaterThan(40);
    expect(namesIn('secretSettings').toSorted()).toEqual(settingNames.toSorted());
    expect([...namesIn('settings'), ...secretNames].toSorted()).toEqual(settingNames.toSorted());
  });

  test('have a worker for each destination type', () => {
    expect(Object.keys(values.workers)).toEqual(types);
    expect(namesIn('workers')).toEqual(types);
  });

  test('have a member for each one that the schema allows, so that readers see all of them', () => {
    expect(
      Object.keys(properties)
        .filter((name) => name !== 'global')
        .toSorted(),
    ).toEqual(Object.keys(values).toSorted());
  });
});

describe.each(examples)('what the example %s renders to', (name) => {
  const manifests = manifestsOf(read(join(golden, `${name}.yaml`)));

  test('keeps to the schemas of its kinds', () => {
    for (const one of manifests) expect(() => validate(one), `${one.kind} ${one.metadata.name}`).not.toThrow();
  });

  test('has an API, a sweep and a worker, of which none is root or writes to its image', () => {
    const deployments = manifests.filter((one) => one.kind === 'Deployment' && componentOf(one) !== 'agent');
    expect(deployments.map(componentOf)).toEqual(expect.arrayContaining(['api', 'sweep', `worker-${types[0]}`]));
    for (const one of deployments) {
      const { containers, securityContext } = podOf(one.spec);
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const { securityContext: own } of containers) {
        expect(own).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  test('has the probes of the plain manifests', () => {
    const plain = ['api', 'sweep'].map((file) => {
      const [first] = manifestsOf(read(join(chart, '../../kubernetes', `${file}.yml`)));
      return probesOf(first?.spec);
    });
    const own = ['api', 'sweep'].map((component) => {
      const one = manifests.find((each) => each.kind === 'Deployment' && componentOf(each) === component);
      return probesOf(one?.spec);
    });
    expect(own).toEqual(plain);
  });

  test('scales workers by the keys of their queue when scaling is on', () => {
    const keys = keysBelow(usualPrefix);
    for (const one of manifests.filter(({ kind }) => kind === 'ScaledObject')) {
      const type = componentOf(one).slice('worker-'.length);
      const { triggers } = z
        .looseObject({
          triggers: z.array(z.looseObject({ name: z.string(), metadata: z.looseObject({ listName: z.string() }) })),
        })
        .parse(one.spec);
      expect(Object.fromEntries(triggers.map((each) => [each.name, each.metadata.listName]))).toEqual({
        waiting: `${keys.jobs(type)}wait`,
        active: `${keys.jobs(type)}active`,
        delayed: `${keys.jobs(type)}delayed`,
        paused: keys.paused,
      });
    }
  });
});

describe('the agent of the example production', () => {
  const manifests = manifestsOf(read(join(golden, 'production.yaml')));
  const agent = manifests.find((one) => one.kind === 'Deployment' && componentOf(one) === 'agent');
  const pod = agentPod.parse(agent?.spec).template;
  const [container] = pod.spec.containers;

  test('has its token from a secret, and nothing of the service', () => {
    const names = container?.env.map(({ name }) => name) ?? [];
    expect(names.filter((name) => !name.startsWith('KEYFERRY_AGENT_'))).toEqual([]);
    expect(names).not.toContain('KEYFERRY_AGENT_TOKEN');
    expect(container?.env).toContainEqual({ name: 'KEYFERRY_AGENT_TOKEN_FILE', value: '/token/token' });
    expect(container?.volumeMounts).toContainEqual({ name: 'keyferry-token', mountPath: '/token', readOnly: true });
    expect(pod.spec.volumes).toContainEqual({
      name: 'keyferry-token',
      secret: { secretName: 'keyferry-agent', defaultMode: 0o440, items: [{ key: 'token', path: 'token' }] },
    });
    expect(container).not.toHaveProperty('envFrom');
    expect(pod.spec).toMatchObject({ serviceAccountName: 'default', automountServiceAccountToken: false });
  });

  test('writes to its private folder only, which is limited, and may finish a run', () => {
    expect(pod.spec.volumes).toContainEqual({ name: 'keyferry-runs', emptyDir: { sizeLimit: '12Gi' } });
    const writable = container?.volumeMounts.filter(({ readOnly }) => readOnly !== true);
    expect(writable).toEqual([{ name: 'keyferry-runs', mountPath: '/runs' }]);
    expect(pod.spec.terminationGracePeriodSeconds).toBe(3_600 + 60 + 60);
    expect(JSON.stringify(container?.readinessProbe)).toContain('"infra/process/healthy.ts","agent"');
  });

  test('is root with the capabilities that give each run a user of its own, and no others', () => {
    const { securityContext, containers } = podOf(agent?.spec);
    expect(securityContext).toMatchObject({
      runAsNonRoot: false,
      runAsUser: 0,
      runAsGroup: 0,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(containers.map((one) => one.securityContext)).toEqual([
      {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'], add: capabilitiesOfAgent },
      },
    ]);
  });

  test('is reached by no rule of the service, and has one of its own', () => {
    const own = pod.metadata.labels;
    const policies = manifests.flatMap(({ kind, metadata: { name }, spec }) =>
      kind === 'NetworkPolicy' && isChosen(policyShape.parse(spec).podSelector.matchLabels, own) ? [name] : [],
    );
    expect(policies).toEqual(['keyferry-agent']);
  });
});

test('every example has its rendered form, and there are no other rendered forms', () => {
  expect(readdirSync(golden).toSorted()).toEqual(examples.map((name) => `${name}.yaml`));
});

/** Apart from the scheme, which depends on the listener's certificate. */
const probesOf = (spec: unknown): unknown => {
  const [first] = podOf(spec).containers;
  const { readinessProbe, livenessProbe, startupProbe } = first ?? {};
  const text = JSON.stringify({ readinessProbe, livenessProbe, startupProbe }, (key, value) =>
    key === 'scheme' ? undefined : value,
  );
  return JSON.parse(text);
};
