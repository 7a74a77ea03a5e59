import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { type ReceivedSpan, startCollector } from '../../telemetry/traces/otlp.ts';

const collector = await startCollector();
afterAll(() => collector.close());

const type = 'cloud-a-sm';
const service = serviceOf([type], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
const marker = 'marker-5b1f0c';
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

const ofTrace = (id: string): readonly ReceivedSpan[] => collector.spans.filter((span) => span.traceId === id);

describe('a write of a secret is one trace', () => {
  test('from the request to the push', async () => {
    const destination = await service.destination(type);
    const secret = await service.secret({ v: 'first' });
    await service.set(type, destination, secret);
    await service.untilQuiet();
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    await service.ask('POST', `secret/data/${secret}`, { data: { v: marker } }, { headers });
    await service.untilQuiet();
    // API and worker export independently, in any order.
    const whole = ['POST kv/data/*path', 'enqueue', 'sync job', 'sync claim', 'put', 'sync finish'];
    await eventually(
      () => whole.every((wanted) => ofTrace(traceId).some(({ name }) => name === wanted)),
      () =>
        ofTrace(traceId)
          .map(({ name }) => name)
          .join(),
    );
    const parentOf = (child: ReceivedSpan) => ofTrace(traceId).find(({ spanId }) => spanId === child.parentSpanId);
    const way = (name: string): readonly string[] => {
      const names: string[] = [];
      let span = ofTrace(traceId).find((one) => one.name === name);
      for (; span !== undefined; span = parentOf(span)) names.push(span.name);
      return names;
    };
    expect(way('put')).toEqual(['put', 'sync job', 'enqueue', 'POST kv/data/*path']);
    expect(way('sync claim')).toEqual(['sync claim', 'sync job', 'enqueue', 'POST kv/data/*path']);
    expect(way('sync finish')).toEqual(['sync finish', 'sync job', 'enqueue', 'POST kv/data/*path']);
    const finish = ofTrace(traceId).find(({ name }) => name === 'sync finish');
    expect(finish).toMatchObject({ service: 'keyferry', attributes: { type, outcome: 'SYNCED' } });
    for (const name of [secret, destination, marker, service.rootToken])
      expect(Buffer.concat(collector.bytes).includes(name), name).toBe(false);
  });

  test('and so is its removal', async () => {
    const destination = await service.destination(type);
    const secret = await service.secret({ v: 'first' });
    await service.set(type, destination, secret);
    await service.untilQuiet();
    const other = traceId.replaceAll('4', 'c');
    await service.ask('DELETE', `secret/metadata/${secret}`, undefined, {
      headers: { traceparent: `00-${other}-00f067aa0ba902b7-01` },
    });
    await service.untilQuiet();
    await eventually(
      () => ofTrace(other).some(({ name }) => name === 'remove'),
      () =>
        ofTrace(other)
          .map(({ name }) => name)
          .join(),
    );
  });
});

describe('without a collector', () => {
  const quiet = serviceOf([type]);

  test('a job has no trace, whatever the request sends', async () => {
    const destination = await quiet.destination(type);
    const secret = await quiet.secret({ v: 'first' });
    await quiet.ask('PATCH', 'sys/sync/config', { disabled: true });
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const body = { mount: 'secret', secret_name: secret };
    await quiet.ask('POST', `sys/sync/destinations/${type}/${destination}/associations/set`, body, { headers });
    const redis = new Redis(quiet.config.REDIS_URL ?? '');
    const jobs = await redis.keys(`${quiet.config.KEYFERRY_REDIS_PREFIX}:sync-${type}:[0-9]*`);
    const data = await Promise.all(jobs.map((job) => redis.hget(job, 'data')));
    await redis.quit();
    expect(data).toHaveLength(1);
    expect(data.join()).not.toContain('"t"');
  });
});
