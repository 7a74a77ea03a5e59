import { inScope, type Log } from '../../../core/log.ts';
import type { HttpParts } from '../../secrets/parts.ts';
import type { Pipeline } from '../../secrets/pipeline.ts';
import { header, type Incoming, type Outgoing } from '../exchange.ts';
import type { InFlight } from './in-flight.ts';
import { type AnsweredRequest, noTelemetry } from './telemetry.ts';

/** Reports each exchange to the telemetry and the log. Patterns of paths only, never a path or a body. */
export interface Observer {
  around(pipeline: Pipeline): Pipeline;
  /** An answer that was given before the pipeline saw the request. */
  refused(requestId: string, method: string, status: number): void;
}

type Report = (request: AnsweredRequest) => void;

/** The route of what no row of the path table has. */
const noRoute = 'none';
const methods = new Set(['GET', 'HEAD', 'LIST', 'HELP', 'POST', 'PUT', 'PATCH', 'DELETE']);

export function createObserver(parts: HttpParts): Observer {
  const { log, telemetry = noTelemetry, accessLogLevel = 'debug', inFlight } = parts;
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

async function observed(
  pipeline: Pipeline,
  incoming: Incoming,
  report: Report,
  inFlight?: InFlight,
): Promise<Outgoing> {
  const started = performance.now();
  let route = noRoute;
  const begun = inFlight?.began(incoming);
  const onRoute = (found: string, shownPath: string) => {
    route = found;
    begun?.routed(shownPath);
  };
  const outgoing = await pipeline({ ...incoming, onRoute }).finally(begun?.ended);
  const seconds = (performance.now() - started) / 1_000;
  report({ method: methodOf(incoming.method), route, status: outgoing.status, seconds });
  return outgoing;
}

/** A verb that the API does not know would be a label of anybody's choice. */
const methodOf = (method: string): string => (methods.has(method) ? method : 'other');

function logAnswer(log: Log, level: 'debug' | 'info', requestId: string, request: AnsweredRequest): void {
  const { method, route, status, seconds } = request;
  const ms = Math.round(seconds * 100_000) / 100;
  log[level]({ request_id: requestId, method, route, status, ms }, 'request');
}
