import { spawn } from 'node:child_process';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, inject, test } from 'vitest';
import { recordAnswer } from '#agent/health.ts';
import { ending } from '../../support/services.ts';

const nobody = 'redis://127.0.0.1:1';

/** The exit code of a container's health check. */
function check(what: string, settings: Readonly<Record<string, string>>): Promise<number | null> {
  const script = new URL('../../../infra/process/healthy.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, what], { env: settings, stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', resolve));
}

const withStatus =
  (status: number): RequestListener =>
  ({ url }, response) => {
    response.writeHead(url?.startsWith('/v1/sys/health') ? status : 404).end();
  };

/** Starts a server that answers every request with this status. Returns its port. */
const answering = (status: number, host?: string): Promise<string> => portOf(createServer(withStatus(status)), host);

async function portOf(server: Server, host = '127.0.0.1'): Promise<string> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  ending({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
  const address = server.address();
  return address === null || typeof address === 'string' ? '0' : String(address.port);
}

test('a process without a port is healthy while PostgreSQL and Redis can be reached', async () => {
  const [DATABASE_URL, REDIS_URL] = [inject('postgresUrl'), inject('redisUrl')];
  expect(await check('ground', { DATABASE_URL, REDIS_URL })).toBe(0);
  expect(await check('ground', { DATABASE_URL, REDIS_URL: nobody })).toBe(1);
  const { password, port } = new URL(REDIS_URL);
  const several = `127.0.0.1:1,127.0.0.1:${port}`;
  expect(await check('ground', { DATABASE_URL, REDIS_URL: `redis://:${password}@${several}` })).toBe(0);
  expect(await check('ground', { DATABASE_URL, REDIS_URL: `redis+sentinel://${several}/primary` })).toBe(0);
  expect(await check('ground', { REDIS_URL })).toBe(1);
  // One of several servers is enough: a standby may be down.
  const { host } = new URL(DATABASE_URL);
  expect(await check('ground', { DATABASE_URL: `postgres://127.0.0.1:1,${host}/x`, REDIS_URL })).toBe(0);
  expect(await check('ground', { DATABASE_URL: 'postgres://127.0.0.1:1,127.0.0.1:2/x', REDIS_URL })).toBe(1);
});

test('a worker that waits for an unsealed API is healthy: a restart would not help', async () => {
  const [DATABASE_URL, REDIS_URL] = [inject('postgresUrl'), inject('redisUrl')];
  const unseal = {
    KEYFERRY_UNSEAL_ADDRESS: 'https://localhost:1',
    KEYFERRY_UNSEAL_LOGIN: 'orchestrator',
    KEYFERRY_UNSEAL_ROLE: 'sync',
  };
  expect(await check('ground', { DATABASE_URL, REDIS_URL, ...unseal })).toBe(0);
});

test('an agent is healthy while the server answers it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'health-'));
  ending({ close: () => rm(folder, { recursive: true }) });
  const settings = { KEYFERRY_AGENT_HEALTH_FILE: join(folder, 'health') };
  expect(await check('agent', settings)).toBe(1);
  await recordAnswer(settings.KEYFERRY_AGENT_HEALTH_FILE, 'users');
  expect(await check('agent', settings)).toBe(0);
  const earlier = new Date(Date.now() - 300_000);
  await utimes(settings.KEYFERRY_AGENT_HEALTH_FILE, earlier, earlier);
  expect(await check('agent', settings)).toBe(1);
  expect(await check('agent', {})).toBe(1);
});

test('the API is healthy while it answers well', async () => {
  expect(await check('api', { PORT: await answering(200) })).toBe(0);
  expect(await check('api', { PORT: await answering(503) })).toBe(1);
  expect(await check('api', { PORT: '1' })).toBe(1);
});

test('the API is called at the address that it listens on', async () => {
  const port = await answering(200, '127.0.0.2');
  expect(await check('api', { PORT: port, KEYFERRY_HOST: '127.0.0.2' })).toBe(0);
  expect(await check('api', { PORT: port })).toBe(1);
  expect(await check('api', { PORT: await answering(200, '0.0.0.0'), KEYFERRY_HOST: '0.0.0.0' })).toBe(0);
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

test('the API is called over IPv6 if it listens there', async ({ skip }) => {
  if (!hasIpv6) skip('this machine has no ::1');
  expect(await check('api', { PORT: await answering(200, '::1'), KEYFERRY_HOST: '::1' })).toBe(0);
  expect(await check('api', { PORT: await answering(200, '::'), KEYFERRY_HOST: '::' })).toBe(0);
});

test('an API with TLS is healthy whatever the name and the issuer of its certificate', async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'keyferry.example' }], { keySize: 2048 });
  const tls = { KEYFERRY_TLS_CERT_FILE: 'cert.pem', KEYFERRY_TLS_KEY_FILE: 'key.pem' };
  const secured = (status: number) => portOf(createSecureServer({ cert, key }, withStatus(status)));
  expect(await check('api', { ...tls, PORT: await secured(200) })).toBe(0);
  expect(await check('api', { ...tls, PORT: await secured(503) })).toBe(1);
  expect(await check('api', { ...tls, PORT: await answering(200) })).toBe(1);
});
