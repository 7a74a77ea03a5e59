import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { expect, test } from 'vitest';
import { noTracing, tracingBy } from '#telemetry/traces/tracing.ts';

function keptSpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return {
    tracing: tracingBy(provider.getTracer('test'), new W3CTraceContextPropagator()),
    spans: () => exporter.getFinishedSpans(),
  };
}

const traceId = '0af7651916cd43dd8448eb211c80319c';

test('a span within a span is its child, even after a wait and beside others', async () => {
  const { tracing, spans } = keptSpans();
  await Promise.all(
    ['a', 'b'].map((name) =>
      tracing.span(name, {}, async () => {
        await Promise.resolve();
        await tracing.span(`below ${name}`, {}, async () => {});
      }),
    ),
  );
  for (const name of ['a', 'b']) {
    const parent = spans().find((span) => span.name === name);
    const child = spans().find((span) => span.name === `below ${name}`);
    expect(child?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId);
    expect(child?.spanContext().traceId).toBe(parent?.spanContext().traceId);
  }
});

test('a traceparent is adopted and passed on', async () => {
  const { tracing, spans } = keptSpans();
  const handedOn = await tracing.span('s', { traceparent: `00-${traceId}-b7ad6b7169203331-01` }, async () =>
    tracing.traceparent(),
  );
  const [span] = spans();
  expect(span?.spanContext().traceId).toBe(traceId);
  expect(span?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(handedOn).toBe(`00-${traceId}-${span?.spanContext().spanId}-01`);
});

test.each([
  '',
  'nonsense',
  `ff-${traceId}-b7ad6b7169203331-01`,
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-b7ad6b7169203331-01`,
  `00-${traceId}-b7ad6b7169203331-01-more`,
])('the malformed traceparent "%s" begins a new trace', async (traceparent) => {
  const { tracing, spans } = keptSpans();
  await tracing.span('s', { traceparent }, async () => {});
  expect(spans()[0]?.parentSpanContext).toBeUndefined();
});

test('a traceparent of a later version is read as far as version 00 goes', async () => {
  const { tracing, spans } = keptSpans();
  await tracing.span('s', { traceparent: `01-${traceId}-b7ad6b7169203331-01-more` }, async () => {});
  expect(spans()[0]?.spanContext().traceId).toBe(traceId);
});

test('a request that is not sampled is not traced, and nothing is passed on to jobs', async () => {
  const { tracing, spans } = keptSpans();
  const traceparent = `00-${traceId}-b7ad6b7169203331-00`;
  expect(await tracing.span('s', { traceparent }, async () => tracing.traceparent())).toBeUndefined();
  expect(spans()).toEqual([]);
});

test('an error marks its span by name and kind, without its message', async () => {
  const { tracing, spans } = keptSpans();
  const error = Object.assign(new Error('the value hunter2'), { kind: 'throttled' });
  await expect(tracing.span('s', {}, () => Promise.reject(error))).rejects.toBe(error);
  const [span] = spans();
  expect(span?.status).toEqual({ code: 2 });
  expect(span?.attributes).toEqual({ 'error.type': 'throttled' });
  expect(span?.events).toEqual([]);
});

test('without a collector the work runs, and there is no traceparent', async () => {
  expect(await noTracing.span('s', {}, async (span) => span.set({ a: 1 }))).toBeUndefined();
  expect(noTracing.traceparent()).toBeUndefined();
});
