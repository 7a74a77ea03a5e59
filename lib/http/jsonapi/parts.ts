import type { Auditor } from '../../audit/contract.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Secret } from '../../core/secret.ts';
import type { ClientConnection } from '../../path/contract/request.ts';
import type { ApiCaller, ApiRow } from '../../path/jsonapi/row.ts';

/** What the workspace service is to the server. */
export interface WorkspaceService {
  readonly rows: readonly ApiRow[];
  /** The caller behind a bearer token; undefined: there is none. */
  authenticate(token: Secret, from: ClientConnection): Promise<ApiCaller | undefined>;
  /** Requests per second and caller; 0: as many as they like. */
  readonly requestsPerSecond: number;
  /** Of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Under which clients know the service, such as `https://keys.example`; undefined: what their requests say. */
  readonly origin?: string | undefined;
}

export interface ApiParts extends WorkspaceService {
  readonly state: () => 'ready' | 'sealed' | 'uninitialised';
  readonly log: Log;
  /** Records every request and what came of it. */
  readonly auditor: Auditor;
  readonly clock: Clock;
  /** For answering a request. */
  readonly requestTimeoutMs: number;
  /** Of a document that is sent. */
  readonly bodyLimitBytes: number;
}
