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
 * Spans of one request or job, from the HTTP request to the push. Attributes hold types, outcomes, counts and ids of
 * associations; never a value, nor the name of a secret. Of an error there is the name and kind, not the message.
 */
export interface Tracing {
  readonly on: boolean;
  /** Runs work in a span below the one that is active. */
  span<Result>(name: string, options: SpanOptions, work: (span: TracedSpan) => Promise<Result>): Promise<Result>;
  /** The active span as a W3C `traceparent`; undefined when there is none, or it is not sampled. */
  traceparent(): string | undefined;
}

export interface SpanOptions {
  readonly attributes?: Attributes;
  readonly kind?: 'server' | 'producer' | 'consumer' | 'client';
  /** Where the span belongs: what came with a request or a job. What is malformed is ignored. */
  readonly traceparent?: string | undefined;
}

export interface TracedSpan {
  rename(name: string): void;
  set(attributes: Attributes): void;
  fail(): void;
}

const noSpan: TracedSpan = { rename() {}, set() {}, fail() {} };

/** Where no collector is configured: costs a call. */
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

/** Keeps the active span by itself, so that nothing global is set. `propagator` reads and writes W3C trace contexts. */
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
