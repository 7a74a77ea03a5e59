import type { Namespace } from '../core/namespace.ts';
import type { Secret } from '../core/secret.ts';
import type { Mount } from '../path/contract/mount.ts';
import type { Reply } from '../path/contract/reply.ts';
import type { Caller, ClientConnection } from '../path/contract/request.ts';
import type { SecretPart } from '../path/shown-path.ts';

/** The audit log as the pipeline of requests sees it. */
export interface Auditor {
  /** Nothing has to be recorded, as far as this process knows; what it knows is at most a second old. */
  readonly idle: boolean;
  /**
   * Records a request before it is run. Undefined: no device is enabled.
   *
   * @throws AppError `internal` when no enabled device has recorded it
   */
  begin(request: AuditedRequest): Promise<Recording | undefined>;
  /**
   * Records a request that was refused before `begin`, and the refusal.
   *
   * @throws AppError `internal` when no enabled device has recorded it
   */
  refused(request: AuditedRequest, error: unknown): Promise<void>;
}

/** A request that was recorded. */
export interface Recording {
  /**
   * Records what came of it, before the answer is given.
   *
   * @throws AppError `internal` when no enabled device has recorded it
   */
  end(outcome: AuditedOutcome): Promise<void>;
}

/** What is known of a request. */
export interface AuditedRequest {
  readonly id: string;
  readonly operation: AuditedOperation;
  /** Full path below `/v1/`, or below the root of the server in the workspace service. */
  readonly path: string;
  /** Parts of it that are recorded as HMAC. */
  readonly secrets: readonly SecretPart[];
  readonly namespace: Namespace;
  /** Undefined: the path leads nowhere, or nobody has looked. */
  readonly mount: Mount | undefined;
  /** Members of the body, or of the query. */
  readonly data: object;
  /** The token that was sent, whatever it is worth. */
  readonly token: Secret | undefined;
  readonly caller: AuditedCaller | undefined;
  /** What the policies say; undefined: nobody asked them. */
  readonly decision: AuditedDecision | undefined;
  readonly connection: ClientConnection;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Seconds for which the reply shall be wrapped. */
  readonly wrapSeconds: number | undefined;
}

/** Whoever is behind a token, in either service. */
export interface AuditedCaller extends Pick<Caller, 'accessor' | 'policies' | 'displayName' | 'entityId' | 'issued'> {
  /** `service` or `batch` in the secrets service; `user`, `team`, `organization` or `audit-trail` in the workspace service. */
  readonly tokenType: string;
  /** Absent: what the token was issued with. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What the policies of the caller say. */
export interface AuditedDecision {
  readonly allowed: boolean;
  /** Of a refusal. */
  readonly why?: string;
  /** The policies that allowed it. */
  readonly grantedBy?: readonly { readonly name: string; readonly namespaceId: string }[];
}

export type AuditedOperation = 'create' | 'read' | 'list' | 'update' | 'patch' | 'delete' | 'help';

/** What came of a request. */
export type AuditedOutcome =
  | {
      readonly reply: Reply;
      readonly warnings: readonly string[];
      /** Members of the reply's data that are lists; absent: those of a listing of the secrets service. */
      readonly lists?: readonly string[];
    }
  | { readonly error: unknown };
