import { settingNames } from '#core/config.ts';
import type { Described } from '../described.ts';
import { closed, flag, list, map, object, oneOf, reference, type Schema, scalar, text, whole } from './shapes.ts';

/** Settings that hold passwords or keys: they must come from a secret, since callers that may read pods may read a ConfigMap. */
export const secretNames: readonly string[] = [
  'DATABASE_URL',
  'REDIS_URL',
  'KEYFERRY_SEAL_KEY',
  'KEYFERRY_SMTP_URL',
  'KEYFERRY_DEV_ROOT_TOKEN',
  'KEYFERRY_AGENT_TOKEN',
];

/** A JSON schema of `values.yaml`: helm refuses unknown names, so that a typing error is not ignored. */
export function valuesSchema(types: readonly Described[]): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart keyferry. Written by "npm run generate".',
    ...closed({
      nameOverride: text,
      fullnameOverride: text,
      commonLabels: map(text),
      global: object,
      image: closed({
        ...image,
        pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
        pullSecrets: list(closed({ name: text }, ['name'])),
      }),
      database: closed({ secret: reference, files: text }),
      redis: closed({ mode: oneOf('single', 'cluster', 'sentinel'), secret: reference, files: text }),
      seal: closed({ from: oneOf('environment', 'file', 'none'), secret: reference }),
      tls: closed({ secret: text }),
      settings: closed(
        named(
          settingNames.filter((name) => !secretNames.includes(name)),
          scalar,
        ),
      ),
      secretSettings: closed(named(settingNames, reference)),
      ...extras,
      serviceAccount: closed({ create: flag, name: text, annotations: map(text), automount: flag, tokenReviews: flag }),
      podSecurityContext: object,
      securityContext: object,
      defaults: closed(process),
      api: closed({ ...process, autoscaling, service, ingress }),
      sweep: closed(process),
      agent,
      workerDefaults: closed(worker),
      workers: closed(
        named(
          types.map(({ type }) => type),
          closed(worker),
        ),
      ),
      keda: closed({
        enabled: flag,
        secret: text,
        parameters: map(text),
        sentinelMaster: text,
        tls: flag,
        databaseIndex: whole(0),
      }),
      metrics: closed({
        annotations: flag,
        serviceMonitor: closed({ enabled: flag, interval: text, scrapeTimeout: text, labels: map(text) }),
      }),
      networkPolicy,
    }),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const named = (names: readonly string[], schema: Schema): Record<string, Schema> =>
  Object.fromEntries(names.map((name) => [name, schema]));

const image = {
  repository: { ...text, minLength: 1 },
  tag: text,
  digest: { ...text, pattern: '^(sha256:[0-9a-f]{64})?$' },
};

const extras = {
  extraEnv: list(object),
  extraEnvFrom: list(object),
  extraVolumes: list(object),
  extraVolumeMounts: list(object),
};

/** What the pods of all kinds take. */
const pod = {
  replicas: whole(0),
  resources: object,
  podAnnotations: map(text),
  podLabels: map(text),
  nodeSelector: map(text),
  tolerations: list(object),
  affinity: object,
  priorityClassName: text,
  runtimeClassName: text,
  topologySpread: list(object),
  terminationGracePeriodSeconds: whole(0),
  strategy: object,
  revisionHistoryLimit: whole(0),
  env: list(object),
  volumes: list(object),
  volumeMounts: list(object),
  initContainers: list(object),
  readinessProbe: object,
};

const folder = closed({ sizeLimit: text, medium: text });

const process = {
  ...pod,
  disruptionBudget: closed({ minAvailable: scalar, maxUnavailable: scalar }),
  temporary: folder,
  sidecars: list(object),
  livenessProbe: object,
  startupProbe: object,
};

/** What the chart itself tells an agent. */
const notOfAgents = ['ADDRESS', 'TOKEN', 'TOKEN_FILE', 'DIR', 'HEALTH_FILE'];

const agentSettings = settingNames.filter((name) => {
  const [, own] = name.split('KEYFERRY_AGENT_');
  return name === 'KEYFERRY_LOG_LEVEL' || (own !== undefined && !notOfAgents.includes(own));
});

const agent = closed({
  ...pod,
  enabled: flag,
  image: closed(image),
  address: text,
  token: reference,
  engines: object,
  folder,
  settings: closed(named(agentSettings, scalar)),
  serviceAccount: text,
  podSecurityContext: object,
  securityContext: object,
});

const worker = {
  ...process,
  enabled: flag,
  autoscaling: closed({
    minReplicas: whole(0),
    maxReplicas: whole(1),
    jobsPerWorker: whole(1),
    pollingInterval: whole(1),
    cooldownPeriod: whole(0),
  }),
};

const autoscaling = closed({
  enabled: flag,
  minReplicas: whole(1),
  maxReplicas: whole(1),
  cpu: whole(0),
  memory: whole(0),
  metrics: list(object),
  behavior: object,
});

const service = closed({
  type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
  port: whole(1),
  annotations: map(text),
});

const ingress = closed({
  enabled: flag,
  className: text,
  annotations: map(text),
  hosts: list(closed({ host: text, path: text }, ['host'])),
  tls: list(object),
});

const outlet = closed({ to: list(object), ports: list(whole(1)) });

const networkPolicy = closed({
  enabled: flag,
  clients: list(object),
  monitoring: list(object),
  dns: list(object),
  database: outlet,
  redis: outlet,
  externalSystems: outlet,
  agent: outlet,
  mail: outlet,
  tokenReviews: outlet,
  traces: outlet,
  ingress: list(object),
  egress: list(object),
});
