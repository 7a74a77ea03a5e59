import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '#infra/local/child.ts';
import { eventually } from '../../support/flow/open-service.ts';
import { startProgram } from '../../support/flow/processes.ts';
import { emptyDatabase, ending, testRedis } from '../../support/services.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-dev-settings-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function certificate(): Promise<Readonly<Record<string, string>>> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'keyferry.example' }], { keySize: 2048 });
  const files = { KEYFERRY_TLS_CERT_FILE: join(folder, 'cert.pem'), KEYFERRY_TLS_KEY_FILE: join(folder, 'key.pem') };
  await writeFile(files.KEYFERRY_TLS_CERT_FILE, cert);
  await writeFile(files.KEYFERRY_TLS_KEY_FILE, key);
  return files;
}

test('the development server prints its TLS address, and serves its metrics on a separate port', async () => {
  const { url, prefix } = testRedis();
  const metricsPort = String(await freePort());
  const environment = {
    ...(await certificate()),
    DATABASE_URL: await emptyDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    KEYFERRY_DATA_DIR: join(folder, 'data'),
    KEYFERRY_HOST: '127.0.0.2',
    KEYFERRY_METRICS_PORT: metricsPort,
    PORT: '0',
  };
  const dev = ending(await startProgram('dev', { environment }));
  expect(dev.ready).toMatch(/^https:\/\/127\.0\.0\.2:\d+$/);
  expect(await statusOf(`${dev.ready}/v1/sys/health`)).toBe(200);
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  await eventually(async () => (await metrics()).includes('keyferry_sealed 0\n'));
  await eventually(async () => /^keyferry_sweep_rounds_total\{result="done"\} [1-9]/m.test(await metrics()));
  expect(await dev.end('SIGTERM')).toMatchObject({ code: 0 });
});

function statusOf(address: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const call = request(address, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.once('error', reject).end();
  });
}
