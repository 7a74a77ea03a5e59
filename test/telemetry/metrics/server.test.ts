import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { Metrics } from '#telemetry/metrics/metrics.ts';
import { serveMetrics } from '#telemetry/metrics/server.ts';
import { ending } from '../../support/services.ts';

const metrics: Pick<Metrics, 'text'> = {
  text: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'a 1\n' }),
};

async function served(from: Pick<Metrics, 'text'> = metrics) {
  const server = await serveMetrics({ KEYFERRY_METRICS_PORT: 0, KEYFERRY_METRICS_ADDRESS: '127.0.0.1' }, from);
  if (server === undefined) throw new Error('nothing listens');
  ending(server);
  return `http://127.0.0.1:${server.port}`;
}

test('without a port nothing listens', async () => {
  const config = { KEYFERRY_METRICS_PORT: undefined, KEYFERRY_METRICS_ADDRESS: '127.0.0.1' };
  expect(await serveMetrics(config, metrics)).toBeUndefined();
});

test('metrics and liveness are served, and nothing else', async () => {
  const address = await served();
  const read = await fetch(`${address}/metrics?x=1`);
  expect([read.status, read.headers.get('content-type'), await read.text()]).toEqual([
    200,
    'text/plain; version=0.0.4',
    'a 1\n',
  ]);
  expect((await fetch(`${address}/healthy`)).status).toBe(200);
  expect((await fetch(`${address}/`)).status).toBe(404);
  expect((await fetch(`${address}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405);
  const head = await fetch(`${address}/metrics`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('a failure to read the metrics is reported without the message of the error', async () => {
  const address = await served({ text: () => Promise.reject(new Error('hunter2')) });
  const answer = await fetch(`${address}/metrics`);
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('hunter2');
});

test('a port in use is reported at the start', async () => {
  const { port } = new URL(await served());
  const config = { KEYFERRY_METRICS_PORT: Number(port), KEYFERRY_METRICS_ADDRESS: '127.0.0.1' };
  await expect(serveMetrics(config, metrics)).rejects.toThrow(`KEYFERRY_METRICS_PORT: port ${port} is in use`);
});

test('a silent connection does not prevent the process from ending', async () => {
  const server = await serveMetrics({ KEYFERRY_METRICS_PORT: 0, KEYFERRY_METRICS_ADDRESS: '127.0.0.1' }, metrics);
  const socket = connect(server?.port ?? 0, '127.0.0.1').on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  const gone = new Promise((resolve) => socket.once('close', resolve));
  await server?.close();
  await gone;
});
