import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '#infra/local/child.ts';
import { ask } from '../../support/flow/calls/ask.ts';
import { eventually } from '../../support/flow/open-service.ts';
import { type Program, runProgram, startProgram } from '../../support/flow/processes.ts';
import { ending, testDatabase, testRedis } from '../../support/services.ts';

const { url, prefix } = testRedis();
const ground = {
  DATABASE_URL: await testDatabase(),
  REDIS_URL: url,
  KEYFERRY_REDIS_PREFIX: prefix,
  KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
  KEYFERRY_SWEEP_MS: '50',
  PORT: '0',
};

/** Starts a program that serves its metrics on a separate port. */
async function measured(program: Program, changes: Readonly<Record<string, string>> = {}) {
  const port = String(await freePort());
  const environment = { ...ground, ...changes, KEYFERRY_METRICS_PORT: port };
  const started = ending(await startProgram(program, { environment }));
  const read = async (path = '/metrics') => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  return { started, read };
}

test('every process serves its metrics on a separate port, from its start to its end', async () => {
  const api = await measured('serve');
  expect(await api.read()).toContain('keyferry_sealed 1\n');
  const address = api.started.ready;
  await ask({ address, token: '', method: 'POST', path: 'sys/init', body: {} });
  const worker = await measured('worker');
  const sweep = await measured('sweep');
  for (const process of [api, worker, sweep]) {
    expect(await process.read('/healthy')).toBe('alive\n');
    await eventually(async () => (await process.read()).includes('keyferry_sealed 0\n'));
    expect(await process.read()).toContain('nodejs_eventloop_lag_p99_seconds');
  }
  await eventually(async () => /^keyferry_sweep_rounds_total\{result="done"\} [1-9]/m.test(await sweep.read()));
  expect(await sweep.read()).toMatch(/^keyferry_sync_pending_operations 0$/m);
  expect(await worker.read()).not.toMatch(/^keyferry_sync_pending_operations \d/m);

  for (const { started } of [api, worker, sweep]) expect(await started.end('SIGTERM')).toMatchObject({ code: 0 });
});

test('a metrics port that is in use ends the process at its start with a message that names it', async () => {
  const { port, close } = await listening();
  const ended = await runProgram('sweep', { environment: { ...ground, KEYFERRY_METRICS_PORT: String(port) } });
  await close();
  expect(ended.code).toBe(1);
  expect(ended.err.join()).toContain(`KEYFERRY_METRICS_PORT: port ${port} is in use`);
});

async function listening(): Promise<{ readonly port: number; close(): Promise<unknown> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}
