import type { Auditor } from '#audit/contract.ts';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import type { Secret } from '#core/secret.ts';
import type { ClientConnection } from '#path/contract/request.ts';
import type { ApiCaller, ApiRow, FindNeeded } from '#path/jsonapi/row.ts';

/** The workspace service as the server sees it. */
export interface WorkspaceService {
  readonly rows: readonly ApiRow[];
  /** The caller behind a bearer token; undefined for an invalid token. */
  authenticate(token: Secret, from: ClientConnection): Promise<ApiCaller | undefined>;
  readonly findNeeded: FindNeeded;
  /** Requests per second and caller; 0 means no limit. */
  readonly requestsPerSecond: number;
  /** Headers of every reply. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address at which clients know the service, such as `https://keys.example`; undefined for the address in their requests. */
  readonly origin: string | undefined;
}

export interface ApiParts extends WorkspaceService {
  readonly state: () => 'ready' | 'sealed' | 'uninitialised';
  readonly log: Log;
  /** Records every request and its outcome. */
  readonly auditor: Auditor;
  readonly clock: Clock;
  /** Time limit of a request. */
  readonly requestTimeoutMs: number;
  /** How often an awaited reply gets a byte of white space, in milliseconds; 0: no reply is awaited for longer than a request may take. */
  readonly paddingMs: number;
  /** Size limit of a document in a request. */
  readonly bodyLimitBytes: number;
}
