import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { openTracing } from '#telemetry/traces/open.ts';
import { ending } from '../../support/services.ts';
import { startCollector } from './otlp.ts';

const configOf = (given: Readonly<Record<string, string>>) => readConfig(given);

test('without a collector nothing is traced', async () => {
  const { tracing, flush, close } = await openTracing(configOf({}), silentLog);
  expect(tracing.on).toBe(false);
  await flush();
  await close();
});

test('spans are sent when they are flushed, and when the process ends', async () => {
  const collector = ending(await startCollector());
  const config = configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/`, OTEL_SERVICE_NAME: 'api' });
  const { tracing, flush, close } = await openTracing(config, silentLog);
  await tracing.span('one', {}, async () => {});
  await flush();
  expect(collector.spans).toMatchObject([{ name: 'one', service: 'api' }]);
  await tracing.span('two', {}, async () => {});
  await close();
  expect(collector.spans.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('the endpoint for traces is used as it is', async () => {
  const collector = ending(await startCollector());
  const config = configOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`,
  });
  const { tracing, close } = await openTracing(config, silentLog);
  await tracing.span('one', {}, async () => {});
  await close();
  expect(collector.spans).toHaveLength(1);
});

test('a dead or hanging collector causes no failures, and delays neither the work nor the end', async () => {
  const gone = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 1));
    });
  });
  const hanging = ending(await startCollector({ hangs: true }));
  for (const endpoint of [`http://127.0.0.1:${gone}`, hanging.endpoint]) {
    const { tracing, flush, close } = await openTracing(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), silentLog);
    // More spans than the queue holds.
    for (let count = 0; count < 10_000; count += 1) await tracing.span('s', {}, async () => count);
    expect(await tracing.span('s', {}, async () => 'done')).toBe('done');
    await flush();
    await close();
  }
});

test('an invalid address is refused at the start with the name of its setting', () => {
  expect(() => configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow('OTEL_EXPORTER_OTLP_ENDPOINT');
});
