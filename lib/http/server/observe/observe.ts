import { inScope, type Log } from '#core/log/log.ts';
import { header, type Incoming, type Outgoing, type Pipeline } from '../../wire/exchange.ts';
import type { InFlight } from './in-flight.ts';
import type { AnsweredRequest, RequestTelemetry } from './telemetry.ts';

/** Reports each exchange to the telemetry and the log: the pattern of its path, never the path or a body. */
export interface Observer {
  around(pipeline: Pipeline): Pipeline;
  /** Reports an answer that was given before the pipeline saw the request. */
  refused(requestId: string, method: string, status: number): void;
}

type Report = (request: AnsweredRequest) => void;

interface ObserverParts {
  readonly log: Log;
  readonly telemetry: RequestTelemetry;
  readonly inFlight: InFlight;
  readonly accessLogLevel: 'debug' | 'info';
}

/** The route of a path that matches no row. */
const noRoute = 'none';
const methods = new Set(['GET', 'HEAD', 'LIST', 'HELP', 'POST', 'PUT', 'PATCH', 'DELETE']);

export function createObserver({ log, telemetry, accessLogLevel, inFlight }: ObserverParts): Observer {
  const reporting =
    (requestId: string, report: Report): Report =>
    (request) => {
      report(request);
      logAnswer(log, accessLogLevel, requestId, request);
    };
  return {
    around: (pipeline) => (incoming) =>
      inScope(log, { request_id: incoming.requestId }, () => {
        const { requestId, method, headers } = incoming;
        return telemetry.request({ method, traceparent: header(headers, 'traceparent') }, (answered) =>
          observed(pipeline, incoming, reporting(requestId, answered), inFlight),
        );
      }),
    refused: (requestId, method, status) =>
      reporting(requestId, telemetry.refused)({ method: methodOf(method), route: noRoute, status, seconds: 0 }),
  };
}

async function observed(pipeline: Pipeline, incoming: Incoming, report: Report, inFlight: InFlight): Promise<Outgoing> {
  const started = performance.now();
  let route = noRoute;
  const begun = inFlight.began(incoming);
  const onRoute = (found: string, shownPath: string) => {
    route = found;
    begun.routed(shownPath);
  };
  try {
    const outgoing = await pipeline({ ...incoming, onRoute });
    const seconds = (performance.now() - started) / 1_000;
    report({ method: methodOf(incoming.method), route, status: outgoing.status, seconds });
    if (outgoing.work === undefined) begun.ended();
    else void outgoing.work.finally(() => begun.ended());
    return outgoing;
  } catch (error) {
    begun.ended();
    throw error;
  }
}

/** An unknown verb would let a client choose a metric label. */
const methodOf = (method: string): string => (methods.has(method) ? method : 'other');

function logAnswer(log: Log, level: 'debug' | 'info', requestId: string, request: AnsweredRequest): void {
  const { method, route, status, seconds } = request;
  const ms = Math.round(seconds * 100_000) / 100;
  log[level]({ request_id: requestId, method, route, status, ms }, 'request');
}
