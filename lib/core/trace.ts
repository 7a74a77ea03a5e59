import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/**
 * Spans of one request or job, from the HTTP request to the push. Attributes hold types, outcomes, counts and ids of
 * associations; never a value, nor the name of a secret. Of an error the name and kind are told, not the message.
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
  tell(attributes: Attributes): void;
  fail(): void;
}

const noSpan: TracedSpan = { rename() {}, tell() {}, fail() {} };

/** Where no collector is configured: costs a call. */
export const noTracing: Tracing = {
  on: false,
  span: (_name, _options, work) => work(noSpan),
  traceparent: () => undefined,
};

const kinds = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
} as const;

/** Keeps the active span by itself, so that nothing global is set. */
export function tracingBy(tracer: Tracer): Tracing {
  const active = new AsyncLocalStorage<Context>();
  return {
    on: true,
    span(name, { attributes = {}, kind, traceparent }, work) {
      const parent = remote(traceparent) ?? active.getStore() ?? ROOT_CONTEXT;
      const own = kind === undefined ? {} : { kind: kinds[kind] };
      const span = tracer.startSpan(name, { attributes, ...own }, parent);
      return active.run(trace.setSpan(parent, span), () => ended(span, work));
    },
    traceparent() {
      const context = active.getStore();
      const span = context && trace.getSpanContext(context);
      if (span === undefined || (span.traceFlags & 1) === 0) return undefined;
      return `00-${span.traceId}-${span.spanId}-01`;
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
  tell: (attributes) => void span.setAttributes(attributes),
  fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
});

/** Version 00 and what later versions keep of it. */
const form = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

function remote(traceparent: string | undefined): Context | undefined {
  if (traceparent === undefined) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = form.exec(traceparent) ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : undefined;
}
