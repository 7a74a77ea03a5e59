import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/**
 * Spans of one request or job, from the HTTP request to the push. Attributes contain types, outcomes, counts and ids of associations, but
 * never a value or the name of a secret. Errors are recorded by name and kind, without the message.
 */
export interface Tracing {
  readonly on: boolean;
  /** Runs work in a child span of the active one. */
  span<Result>(name: string, options: SpanOptions, work: (span: TracedSpan) => Promise<Result>): Promise<Result>;
  /** The active span as a W3C `traceparent`; undefined when there is no active span or it is not sampled. */
  traceparent(): string | undefined;
}

export interface SpanOptions {
  readonly attributes?: Attributes;
  readonly kind?: 'server' | 'producer' | 'consumer' | 'client';
  /** The parent span, from a request or a job. A malformed value is ignored. */
  readonly traceparent?: string | undefined;
}

export interface TracedSpan {
  rename(name: string): void;
  set(attributes: Attributes): void;
  fail(): void;
}

const noSpan: TracedSpan = { rename() {}, set() {}, fail() {} };

/** Used when no collector is configured; costs one function call. */
export const noTracing: Tracing = {
  on: false,
  span: (_name, _options, work) => work(noSpan),
  traceparent: () => undefined,
};

type Carrier = Record<string, string>;

const kinds = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
} as const;

/** Tracing that tracks the active span itself, without global state. `propagator` reads and writes W3C trace contexts. */
export function tracingBy(tracer: Tracer, propagator: TextMapPropagator<Carrier>): Tracing {
  const active = new AsyncLocalStorage<Context>();
  return {
    on: true,
    span(name, { attributes = {}, kind, traceparent }, work) {
      const own = active.getStore() ?? ROOT_CONTEXT;
      const parent = traceparent === undefined ? own : propagator.extract(own, { traceparent }, defaultTextMapGetter);
      const kindOf = kind === undefined ? {} : { kind: kinds[kind] };
      const span = tracer.startSpan(name, { attributes, ...kindOf }, parent);
      return active.run(trace.setSpan(parent, span), () => ended(span, work));
    },
    traceparent() {
      const context = active.getStore();
      const span = context && trace.getSpanContext(context);
      if (span === undefined || (span.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
      const carrier: Carrier = {};
      propagator.inject(context ?? ROOT_CONTEXT, carrier, defaultTextMapSetter);
      return carrier['traceparent'];
    },
  };
}

async function ended<Result>(span: Span, work: (span: TracedSpan) => Promise<Result>): Promise<Result> {
  try {
    return await work(tracedSpan(span));
  } catch (cause) {
    if (cause instanceof Error) span.setAttribute('error.type', 'kind' in cause ? String(cause.kind) : cause.name);
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw cause;
  } finally {
    span.end();
  }
}

const tracedSpan = (span: Span): TracedSpan => ({
  rename: (name) => void span.updateName(name),
  set: (attributes) => void span.setAttributes(attributes),
  fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
});

/** Puts operations in the queue; returns the ids that were refused. */
type Enqueue<Operation> = (
  operations: readonly Operation[],
  capacity: number,
) => Promise<{ readonly refused: readonly string[] }>;

/** Adds the trace context of the request to its jobs. Returns the same function when nothing is traced. */
export function tracedEnqueue<Operation extends { readonly traceparent?: string | undefined }>(
  enqueue: Enqueue<Operation>,
  tracing: Tracing,
): Enqueue<Operation> {
  if (!tracing.on) return enqueue;
  return (operations, capacity) =>
    tracing.span('enqueue', { kind: 'producer', attributes: { count: operations.length } }, async (span) => {
      const traceparent = tracing.traceparent();
      const answer = await enqueue(
        operations.map((operation) => ({ ...operation, traceparent })),
        capacity,
      );
      span.set({ refused: answer.refused.length });
      return answer;
    });
}
