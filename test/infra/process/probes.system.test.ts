import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getSecurely } from 'node:https';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { freePort } from '#infra/local/child.ts';
import { tlsFiles } from '../../http/wire/tls.ts';
import { startProgram } from '../../support/flow/processes.ts';
import { patience } from '../../support/measures/patience.ts';
import { ending, testDatabase, testRedis } from '../../support/services.ts';

const root = new URL('../../../', import.meta.url).pathname;

type Settings = Readonly<Record<string, string>>;

/** Every setting that changes how the listener answers, one at a time and all together. */
const settings: readonly (readonly [string, () => Promise<Settings>])[] = [
  ['nothing', async () => ({})],
  ['the header of clients', async () => ({ KEYFERRY_REQUIRE_REQUEST_HEADER: 'true' })],
  ['TLS', tlsSettings],
  ['every address', async () => ({ KEYFERRY_HOST: '0.0.0.0' })],
  ['trusted proxies', async () => ({ KEYFERRY_TRUSTED_PROXIES: '127.0.0.0/8' })],
  ['open metrics', async () => ({ KEYFERRY_METRICS_UNAUTHENTICATED: 'true' })],
  ['small limits', async () => ({ KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '1', KEYFERRY_BODY_BYTES_MAX: '1024' })],
  [
    'all of them',
    async () => ({
      ...(await tlsSettings()),
      KEYFERRY_REQUIRE_REQUEST_HEADER: 'true',
      KEYFERRY_HOST: '0.0.0.0',
      KEYFERRY_TRUSTED_PROXIES: '0.0.0.0/0',
      KEYFERRY_METRICS_UNAUTHENTICATED: 'true',
      KEYFERRY_PUBLIC_URL: 'https://keys.example',
      KEYFERRY_ACCESS_LOG_LEVEL: 'info',
    }),
  ],
];

async function tlsSettings(): Promise<Settings> {
  const { tls } = await tlsFiles();
  return { KEYFERRY_TLS_CERT_FILE: tls.certificateFile, KEYFERRY_TLS_KEY_FILE: tls.keyFile };
}

test.each(settings)('the shipped probes pass with %s set', async (_name, changes) => {
  const { url, prefix } = testRedis();
  const metricsPort = String(await freePort());
  const environment: Settings = {
    DATABASE_URL: await testDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    KEYFERRY_METRICS_PORT: metricsPort,
    PORT: String(await freePort()),
    ...(await changes()),
  };
  const api = ending(await startProgram('serve', { environment }));
  const port = Number(environment['PORT']);
  const secured = 'KEYFERRY_TLS_CERT_FILE' in environment;
  expect(await healthCheck(environment)).toBe(0);
  expect(await statusOf(secured, port, await readinessPath())).toBe(200);
  expect(await statusOf(false, Number(metricsPort), '/metrics')).toBe(200);
  const isOpen = 'KEYFERRY_METRICS_UNAUTHENTICATED' in environment;
  expect(await statusOf(secured, port, '/v1/sys/metrics?format=prometheus')).toBe(isOpen ? 200 : 503);
  await api.end('SIGTERM');
});

/** The health check of the container, as the image runs it. */
async function healthCheck(environment: Settings): Promise<number | null> {
  const command = /^ {2}CMD \["\/nodejs\/bin\/node", "([^"]+)", "([^"]+)"\]/m.exec(await shipped('infra/Dockerfile'));
  if (command === null) throw new Error('the image has no health check');
  const [, script = '', what = ''] = command;
  const child = spawn(process.execPath, [script, what], { cwd: root, env: environment, stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', resolve));
}

async function readinessPath(): Promise<string> {
  const documents = parseAllDocuments(await shipped('infra/kubernetes/api.yml')).map((one) => one.toJS());
  const deployment = documents.find(({ kind }) => kind === 'Deployment');
  const path: unknown = deployment?.spec.template.spec.containers[0].readinessProbe.httpGet.path;
  if (typeof path !== 'string') throw new Error('the API has no readiness probe');
  return path;
}

const shipped = (file: string): Promise<string> => readFile(`${root}${file}`, 'utf8');

/** Sends a request as a probe does: without client headers, and with any certificate accepted. */
async function statusOf(secured: boolean, port: number, path: string): Promise<number | undefined> {
  const call = { host: '127.0.0.1', port, path, signal: AbortSignal.timeout(patience.conditionMs) };
  const request = secured ? getSecurely({ ...call, rejectUnauthorized: false }) : getPlain(call);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  answer.resume();
  return answer.statusCode;
}
