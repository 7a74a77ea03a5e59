import type { Namespace } from '#core/namespace.ts';
import type { Secret } from '#core/secret.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { AnyReply } from '#path/contract/reply.ts';
import type { Caller, ClientConnection } from '#path/contract/request.ts';
import type { SecretPart } from '#path/shown-path.ts';

/** The audit log as the request pipelines use it. */
export interface Auditor {
  /** No device is enabled, as far as this process knows; its copy is at most a second old. */
  readonly idle: boolean;
  /**
   * Records a request before it runs. Undefined when no device is enabled.
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

/** A recorded request. */
export interface Recording {
  /**
   * Records its outcome before it is answered.
   *
   * @throws AppError `internal` when no enabled device has recorded it
   */
  end(outcome: AuditedOutcome): Promise<void>;
}

/** The recorded properties of a request. */
export interface AuditedRequest {
  readonly id: string;
  readonly operation: AuditedOperation;
  /** Full path below `/v1/`, or below the root of the server in the workspace service. */
  readonly path: string;
  /** Parts of it that are recorded as HMAC. */
  readonly secrets: readonly SecretPart[];
  readonly namespace: Namespace;
  /** Undefined when no mount holds the path, or when the mount was not looked up. */
  readonly mount: Mount | undefined;
  /** Members of the body, or of the query. */
  readonly data: object;
  /** The token as sent, valid or not. */
  readonly token: Secret | undefined;
  readonly caller: AuditedCaller | undefined;
  /** The decision of the policies; undefined when none was needed. */
  readonly decision: AuditedDecision | undefined;
  readonly connection: ClientConnection;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** How long the reply is to be wrapped, in seconds. */
  readonly wrapSeconds: number | undefined;
}

/** The holder of a token, in either service. */
export interface AuditedCaller extends Pick<Caller, 'accessor' | 'policies' | 'displayName' | 'entityId' | 'issued'> {
  /** `service` or `batch` in the secrets service; `user`, `team`, `organization` or `audit-trail` in the workspace service. */
  readonly tokenType: string;
  /** Replaces the metadata with which the token was issued. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The decision of the caller's policies. */
export interface AuditedDecision {
  readonly allowed: boolean;
  /** The reason for a refusal. */
  readonly why?: string;
  /** The policies that allowed it. */
  readonly grantedBy?: readonly { readonly name: string; readonly namespaceId: string }[];
}

export type AuditedOperation = 'create' | 'read' | 'list' | 'update' | 'patch' | 'delete' | 'help';

/** The outcome of a request. */
export type AuditedOutcome =
  | {
      readonly reply: AnyReply;
      readonly warnings: readonly string[];
      /** Members of the reply's data that are lists; by default those of a listing of the secrets service. */
      readonly lists?: readonly string[];
    }
  | { readonly error: unknown };
