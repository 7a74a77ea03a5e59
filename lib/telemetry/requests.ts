import { boundOnce, type Metrics } from './metrics/metrics.ts';
import type { TracedSpan, Tracing } from './traces/tracing.ts';

/** A received request: its verb and its `traceparent` header as sent. */
interface Received {
  readonly method: string;
  readonly traceparent: string | undefined;
}

/** `route` is the pattern of a path, `method` one of the known verbs or `other`. Neither contains client input. */
interface Answered {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

type Work<Result> = (answered: (request: Answered) => void) => Promise<Result>;

const serverError = 500;

/** Counts and times requests, and creates a span for each if requests are traced. */
export function requestTelemetry({ metrics, tracing }: { readonly metrics: Metrics; readonly tracing: Tracing }) {
  const measure = measuring(metrics);
  return {
    /** Runs the work of one request, which must call `answered` once before it ends. */
    request<Result>(received: Received, work: Work<Result>): Promise<Result> {
      if (!tracing.on) return work(measure);
      const { method, traceparent } = received;
      return tracing.span(method, { kind: 'server', traceparent }, (span) =>
        work((answered) => {
          measure(answered);
          describe(span, method, answered);
        }),
      );
    },
    /** For a request that was answered before any work began. */
    refused: measure,
  };
}

function describe(span: TracedSpan, method: string, { route, status }: Answered): void {
  span.rename(`${method} ${route}`);
  span.set({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status });
  if (status >= serverError) span.fail();
}

function measuring(metrics: Metrics): (answered: Answered) => void {
  const bound = boundOnce((key) => {
    const [method = '', status = '', route = ''] = key.split(' ');
    return {
      count: metrics.counter('keyferry_http_requests_total', { route, method, status }),
      observe: metrics.histogram('keyferry_http_request_duration_seconds', { route, method }),
    };
  });
  return ({ route, method, status, seconds }) => {
    const { count, observe } = bound(`${method} ${Math.floor(status / 100)}xx ${route}`);
    count();
    observe(seconds);
  };
}
