import type { FastifyPluginAsync } from 'fastify';
import type { Auditor } from '../../audit/contract.ts';
import type { Gatekeeper } from '../../auth/contract.ts';
import type { AddressList } from '../../core/address-list.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Engine } from '../../path/contract/engine.ts';
import type { NamespaceFinder, RequestMounts } from '../../path/contract/mount.ts';
import type { WorkspaceService } from '../jsonapi/parts.ts';
import type { InFlight } from '../wire/observe/in-flight.ts';
import type { RequestTelemetry } from '../wire/observe/telemetry.ts';
import type { Stage } from './stages/stages.ts';

/** What the module is handed. */
export interface HttpParts {
  readonly engines: readonly Engine[];
  readonly mounts: RequestMounts;
  /** Absent: there is the root alone. */
  readonly namespaces?: NamespaceFinder;
  /** The path of the namespace that may do what else only the root may, with a trailing slash; absent: none. */
  readonly administrativeNamespace?: string | undefined;
  readonly gatekeeper: Gatekeeper;
  readonly state: () => 'ready' | 'sealed' | 'uninitialised';
  readonly log: Log;
  /** Records every request of both services, and what came of it. */
  readonly auditor: Auditor;
  /** Absent: requests are neither measured nor traced. */
  readonly telemetry?: RequestTelemetry;
  /** Absent: nobody asks which requests are being answered. */
  readonly inFlight?: InFlight;
  /** Of the line that is logged for each request. */
  readonly accessLogLevel?: 'debug' | 'info';
  readonly clock: Clock;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: AddressList;
  readonly bodyLimitBytes: number;
  /** For the large bodies of all requests together, in bytes as they were sent; at least one has to fit. */
  readonly largeBodiesBytesMax: number;
  /** For receiving a request, and again for answering it. */
  readonly requestTimeoutMs: number;
  /** What happens to every request of `/v1/` beside what the pipeline does itself. */
  readonly stages?: readonly Stage[];
  /** Absent: nothing is said to browsers about other origins. */
  readonly crossOrigin?: ReadCrossOrigin;
  /** Requests without `X-Service-Request: true`, or the alias of it, are refused. */
  readonly requestHeaderRequired?: boolean;
  /** Absent: there is no workspace service. */
  readonly workspaces?: WorkspaceService;
  /** Routes beside `/v1/`, such as another API on the same port. Each has its own parsers and error handler. */
  readonly plugins?: readonly FastifyPluginAsync[];
}

/** What pages of browsers may do. */
export interface CrossOrigin {
  /** `*` alone: all of them. */
  readonly origins: readonly string[];
  /** That a page may send. */
  readonly headers: readonly string[];
}

/** Undefined: no page of another origin may do anything, and browsers see to that themselves. */
export type ReadCrossOrigin = () => Promise<CrossOrigin | undefined>;
