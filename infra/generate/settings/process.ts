import { api, development, type Reader, type Setting, service } from './setting.ts';

const measured: readonly Reader[] = ['API', 'worker', 'sweep'];

export const processSettings = {
  KEYFERRY_LOG_LEVEL: {
    readers: service,
    meaning: '`debug`, `info`, `warn`, `error` or `silent`; JSON lines on standard error',
  },
  KEYFERRY_ACCESS_LOG_LEVEL: { readers: api, meaning: 'Level of the line for each request: `debug` or `info`' },
  KEYFERRY_METRICS_UNAUTHENTICATED: {
    readers: api,
    meaning: '`true`: `sys/metrics` needs no token and answers while sealed',
  },
  KEYFERRY_METRICS_PORT: {
    readers: measured,
    meaning: 'Port of `/metrics` and `/healthy` of this process, without a token. Without it there is no such listener',
  },
  KEYFERRY_METRICS_ADDRESS: { readers: measured, meaning: 'Address of that listener' },
  KEYFERRY_METRICS_DESTINATIONS_MAX: {
    readers: ['worker', 'functions'],
    meaning:
      'How many destinations the [metrics](operating/observability.md#instruments) of a worker name; the others share the name `other`',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    readers: service,
    meaning:
      'Collector of [traces](operating/observability.md#traces) (OTLP over HTTP, protobuf); `/v1/traces` is added',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    readers: service,
    meaning: 'The same as the whole address. Without either there are no traces',
  },
  OTEL_SERVICE_NAME: { readers: service, meaning: 'Name of the service in traces' },
  KEYFERRY_SHUTDOWN_MS_MAX: {
    readers: measured,
    meaning: 'How long a process that ends waits for work in flight',
  },
  KEYFERRY_DATA_DIR: { readers: development, meaning: 'Folder of its data' },
  KEYFERRY_DEV_AGENT: {
    readers: development,
    meaning:
      '`on`: it runs an [agent](workspaces/agents.md) for the organization `dev`, which it makes, if it finds an engine; `off`',
  },
  KEYFERRY_DEV_ROOT_TOKEN: { readers: development, meaning: 'A root token of your own choice' },
  KEYFERRY_POSTGRES_DIR: {
    readers: development,
    default: 'the one of the npm package',
    meaning:
      'Folder of the PostgreSQL (its `bin`) that the development server, the demo and the tests start, such as `/usr/lib/postgresql/15`',
  },
} as const satisfies Readonly<Record<string, Setting>>;
