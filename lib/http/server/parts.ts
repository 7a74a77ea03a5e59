import type { AddressList } from '#core/address-list.ts';
import type { Log } from '#core/log/log.ts';
import type { Incoming, Outgoing, Pipeline } from '../wire/exchange.ts';
import type { InFlight } from './observe/in-flight.ts';
import type { RequestTelemetry } from './observe/telemetry.ts';

/** One of the APIs that a server offers: its URLs, what answers them, and the form of its errors. */
export interface Service {
  /** URL patterns of Fastify; a final `*` matches any rest. */
  readonly urls: readonly string[];
  /** Whether the clients of a URL read errors in the form of this API. */
  owns(url: string): boolean;
  readonly pipeline: Pipeline;
  /** The answer to an error that was thrown before the pipeline received the request, or while its origin was checked. */
  refuse(error: unknown, request: Pick<Incoming, 'requestId' | 'headers'>): Outgoing;
}

/** The dependencies of the server. */
export interface ServerParts {
  /** For a URL that no service owns, the first one words the refusal. */
  readonly services: readonly [Service, ...Service[]];
  readonly log: Log;
  readonly telemetry: RequestTelemetry;
  readonly inFlight: InFlight;
  /** Level of the line that is logged for each request. */
  readonly accessLogLevel: 'debug' | 'info';
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: AddressList;
  /** Memory for the large bodies of all requests together, in bytes as sent. It must hold at least one body. */
  readonly largeBodiesBytesMax: number;
  /** Limit for receiving a request, and again for answering it. */
  readonly requestTimeoutMs: number;
}
