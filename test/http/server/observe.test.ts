import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { describe, expect, test } from 'vitest';
import { openLog } from '#core/log/open.ts';
import { operation } from '#path/contract/row.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { requestTelemetry } from '#telemetry/requests.ts';
import { noTracing, tracingBy } from '#telemetry/traces/tracing.ts';
import { ask, root } from '../ask.ts';
import { keptLog, type SampleParts, sampleParts } from '../sample.ts';

const marker = 'a-path-that-is-a-secret-9f2c';

async function counted(requests: readonly (readonly [string, string])[], changes: Partial<SampleParts> = {}) {
  const metrics = openMetrics({ process: false });
  const parts = sampleParts({ telemetry: requestTelemetry({ metrics, tracing: noTracing }), ...changes });
  for (const [method, url] of requests) await ask(method, url, {}, parts);
  const totals = await metrics.totals('keyferry_http_requests_total');
  const lines = totals.map(
    ({ labels, value }) => `${labels['method']} ${labels['route']} ${labels['status']} ${value}`,
  );
  return { lines, body: (await metrics.text()).body };
}

describe('counted requests', () => {
  test('have the type of the engine and the pattern of the row as their route, whatever was sent', async () => {
    const { lines, body } = await counted([
      ['GET', `/v1/secret/${marker}`],
      ['GET', '/v1/secret/other'],
      ['GET', `/v1/team/secret/${marker}`],
      ['GET', '/v1/sys/health'],
      ['GET', '/v1/sys/broken'],
    ]);
    expect(lines).toContain('GET system/health 2xx 1');
    expect(lines).toContain('GET system/broken 5xx 1');
    expect(lines.filter((line) => line.includes(' kv/'))).toHaveLength(1);
    expect(body).not.toContain(marker);
    expect(body).toContain('keyferry_http_request_duration_seconds_count{route="system/health",method="GET"} 1');
  });

  test('share one route and one method when no row matches, so that clients cannot create labels', async () => {
    const { lines, body } = await counted([
      ['GET', `/v1/nowhere/${marker}`],
      ['GET', `/v1/sys/${marker}`],
      ['PROPFIND', `/v1/secret/${marker}`],
      ['MKCOL', `/v1/secret/${marker}`],
      ['GET', '/v1/%zz'],
      ['GET', `/${marker}`],
    ]);
    expect(lines.toSorted()).toEqual(['GET none 4xx 4', 'other none 4xx 2']);
    expect(body).not.toContain(marker);
  });

  test('have their route even if they are refused for missing permission', async () => {
    const metrics = openMetrics({ process: false });
    await ask(
      'GET',
      '/v1/sys/guarded',
      { headers: {} },
      sampleParts({ telemetry: requestTelemetry({ metrics, tracing: noTracing }) }),
    );
    const [total] = await metrics.totals('keyferry_http_requests_total');
    expect(total?.labels).toEqual({ method: 'GET', route: 'system/guarded', status: '4xx' });
  });

  test('include those whose body is refused as too large', async () => {
    const metrics = openMetrics({ process: false });
    const parts = sampleParts({ telemetry: requestTelemetry({ metrics, tracing: noTracing }), bodyLimitBytes: 10 });
    await ask('POST', '/v1/secret/a', { payload: `{"a":"${'x'.repeat(100)}"}` }, parts);
    expect(await metrics.totals('keyferry_http_requests_total')).toEqual([
      { labels: { method: 'POST', route: 'none', status: '4xx' }, value: 1 },
    ]);
  });
});

describe('the request id', () => {
  const idOf = async (headers: Record<string, string>) =>
    (await ask('GET', '/v1/sys/open', { headers: { ...root, ...headers } })).json().request_id;
  const uuidForm = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

  test('is the id that the client sent', async () => {
    expect(await idOf({ 'x-request-id': '7d1f0a6e-edge.42' })).toBe('7d1f0a6e-edge.42');
    expect(await idOf({ 'x-correlation-id': 'Root=1-67891233-abc' })).toMatch(uuidForm);
    expect(await idOf({ 'x-correlation-id': '1-67891233-abc' })).toBe('1-67891233-abc');
  });

  test.each(['', 'short', 'with space in it', '{"$ne":1}______', 'x'.repeat(129), '../../etc/passwd'])(
    'is a new one when the client sent "%s"',
    async (given) => {
      expect(await idOf({ 'x-request-id': given })).toMatch(uuidForm);
    },
  );
});

test('a request is logged in one line with method, route, status and time, and nothing that the client sent', async () => {
  const log = keptLog();
  const headers = { ...root, 'x-request-id': 'request-0001' };
  await ask('POST', `/v1/secret/${marker}`, { headers, payload: `{"v":"${marker}"}` }, sampleParts({ log }));
  const [line = '{}'] = log.lines;
  expect(log.lines).toHaveLength(1);
  expect(JSON.parse(line)).toEqual({
    request_id: 'request-0001',
    method: 'POST',
    route: expect.stringMatching(/^kv\//),
    status: expect.any(Number),
    ms: expect.any(Number),
    message: 'request',
  });
});

test('everything that a handler logs, however deep, has the id of its request', async () => {
  const lines: { readonly msg: string; readonly request_id?: string }[] = [];
  const log = openLog({ KEYFERRY_LOG_LEVEL: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const run = async () => {
    await Promise.resolve();
    log.warn({}, 'deep');
    return { data: {} };
  };
  const tells = { pattern: 'tells', help: 'Tells.', operations: { read: operation({}, { summary: 'Tells.', run }) } };
  const parts = sampleParts({ log, engines: [{ type: 'system', rows: [tells] }] });
  for (const id of ['request-1', 'request-2']) {
    await ask('GET', '/v1/sys/tells', { headers: { ...root, 'x-request-id': id } }, parts);
  }
  expect(lines.map(({ msg, request_id }) => [msg, request_id])).toEqual([
    ['deep', 'request-1'],
    ['deep', 'request-2'],
  ]);
});

test('a request is a span in the trace of the caller, named by method and route', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracing = tracingBy(provider.getTracer('test'), new W3CTraceContextPropagator());
  const parts = sampleParts({ telemetry: requestTelemetry({ metrics: openMetrics({ process: false }), tracing }) });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await ask('GET', `/v1/secret/${marker}`, { headers: { ...root, traceparent } }, parts);
  await ask('GET', '/v1/sys/broken', {}, parts);
  const [first, second] = exporter.getFinishedSpans();
  expect(first?.name).toMatch(/^GET kv\//);
  expect(first?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
  expect(first?.attributes).toMatchObject({
    'http.request.method': 'GET',
    'http.route': expect.stringMatching(/^kv\//),
  });
  expect(second?.attributes['http.response.status_code']).toBe(500);
  expect(second?.status).toEqual({ code: 2 });
  expect(
    JSON.stringify(exporter.getFinishedSpans().map(({ name, attributes }) => ({ name, attributes }))),
  ).not.toContain(marker);
});
