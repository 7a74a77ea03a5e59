import { inScope, type Log } from '../../core/log.ts';
import { boundOnce } from '../../core/metrics.ts';
import { noTracing, type TracedSpan, type Tracing } from '../../core/trace.ts';
import type { HttpParts } from '../secrets/parts.ts';
import type { Pipeline } from '../secrets/pipeline.ts';
import { header, type Incoming, type Outgoing } from './exchange.ts';

/** What is told of each exchange: metrics, a span, a line of the log. Patterns of paths only, never a path or a body. */
export interface Observer {
  around(pipeline: Pipeline): Pipeline;
  /** An answer that was given before the pipeline saw the request. */
  refused(requestId: string, method: string, status: number): void;
}

interface Answered {
  readonly requestId: string;
  readonly method: string;
  /** Type of the engine and pattern of the row. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The route of what no row of the path table has. */
const noRoute = 'none';
const methods = new Set(['GET', 'HEAD', 'LIST', 'HELP', 'POST', 'PUT', 'PATCH', 'DELETE']);
const serverError = 500;

export function createObserver(parts: HttpParts): Observer {
  const { log, tracing = noTracing, accessLogLevel = 'debug' } = parts;
  const measure = measuring(parts);
  const tell = (answered: Answered) => {
    measure(answered);
    logAnswer(log, accessLogLevel, answered);
  };
  return {
    around: (pipeline) => (incoming) =>
      inScope(log, { request_id: incoming.requestId }, () =>
        tracing.on ? traced(tracing, pipeline, incoming, tell) : observed(pipeline, incoming, tell),
      ),
    refused: (requestId, method, status) => tell({ requestId, method, route: noRoute, status, seconds: 0 }),
  };
}

async function observed(pipeline: Pipeline, incoming: Incoming, tell: (answered: Answered) => void, span?: TracedSpan) {
  const { requestId, method } = incoming;
  const started = performance.now();
  let route = noRoute;
  const onRoute = (found: string) => {
    route = found;
  };
  const outgoing = await pipeline({ ...incoming, onRoute });
  tell({ requestId, method, route, status: outgoing.status, seconds: (performance.now() - started) / 1_000 });
  if (span !== undefined) describe(span, method, route, outgoing);
  return outgoing;
}

function traced(tracing: Tracing, pipeline: Pipeline, incoming: Incoming, tell: (answered: Answered) => void) {
  const traceparent = header(incoming.headers, 'traceparent');
  return tracing.span(incoming.method, { kind: 'server', traceparent }, (span) =>
    observed(pipeline, incoming, tell, span),
  );
}

function describe(span: TracedSpan, method: string, route: string, { status }: Outgoing): void {
  span.rename(`${method} ${route}`);
  span.tell({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status });
  if (status >= serverError) span.fail();
}

/** A verb that is none of ours would be a label of anybody's choice. */
const methodOf = (method: string): string => (methods.has(method) ? method : 'other');

function measuring({ metrics }: HttpParts): (answered: Answered) => void {
  if (metrics === undefined) return () => {};
  const bound = boundOnce((key) => {
    const [method = '', status = '', route = ''] = key.split(' ');
    return {
      count: metrics.counter('keyferry_http_requests_total', { route, method, status }),
      observe: metrics.histogram('keyferry_http_request_duration_seconds', { route, method }),
    };
  });
  return ({ route, method, status, seconds }) => {
    const { count, observe } = bound(`${methodOf(method)} ${Math.floor(status / 100)}xx ${route}`);
    count();
    observe(seconds);
  };
}

function logAnswer(log: Log, level: 'debug' | 'info', { requestId, method, route, status, seconds }: Answered): void {
  const ms = Math.round(seconds * 100_000) / 100;
  log[level]({ request_id: requestId, method: methodOf(method), route, status, ms }, 'request');
}
