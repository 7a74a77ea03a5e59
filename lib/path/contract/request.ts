import type { Namespace } from '#core/namespace.ts';
import type { Secret } from '#core/secret.ts';
import type { Mount } from './mount.ts';

/** POST and PUT are both `write`. LIST and GET with `list=true` are both `list`. */
export type Verb = 'read' | 'list' | 'write' | 'patch' | 'delete';

/** The parts of a request that handlers may use. */
export interface RequestContext {
  readonly requestId: string;
  /** Undefined only if the operation is marked `unauthenticated` and no valid token was sent. */
  readonly caller: Caller | undefined;
  /** Whether a token was sent. Without a caller it is not valid. */
  readonly tokenSent: boolean;
  /** The token as sent, valid or not. */
  readonly sentToken?: Secret | undefined;
  /** How long the reply is to be wrapped, in seconds; undefined when it is not to be wrapped. */
  readonly wrapSeconds?: number | undefined;
  /** Whether the caller has the sudo capability on the path, even if the operation does not need it. */
  readonly sudo: boolean;
  readonly connection: ClientConnection;
  /** The namespace of the request. Paths of mounts are relative to it. */
  readonly namespace: Namespace;
  readonly mount: Mount;
  /** Path below the mount, without a leading slash. */
  readonly path: string;
  readonly verb: Verb;
  /** The names in the reply: the canonical ones, or those that existing clients of the API family know. */
  readonly vocabulary: Vocabulary;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: URLSearchParams;
  /** Aborts when the client has disconnected or the time limit of the request has passed. */
  readonly signal: AbortSignal;
  /**
   * Reserves memory for a long stored secret, in bytes, until the reply is sent. Of several secrets the longest counts.
   *
   * @throws AppError `unavailable` when other requests hold the memory
   */
  hold(bytes: number): void;
  /** Adds a text to the reply's `warnings`. */
  warn(message: string): void;
  /** Throws `permission-denied` unless the caller may do this on another path of the namespace. */
  mustBeAllowed(verb: Verb, fullPath: string): Promise<void>;
  /** Whether any rule of the caller's policies grants anything on this path of the namespace or below it. */
  reaches(fullPath: string): Promise<boolean>;
}

export type Vocabulary = 'canonical' | 'alias';

/** How a request reached this process, or the gateway of the platform in front of it. */
export interface ClientConnection {
  /** The address of the peer, which may be a proxy. IPv4 is in dotted form. Empty when it is no longer known. */
  readonly remoteAddress: string;
  /** Absent when unknown. */
  readonly remotePort?: number | undefined;
  /** The connection is encrypted. */
  readonly tls: boolean;
}

/** The caller of a request: a valid token. */
export interface Caller {
  /** The namespace in which the token was created. Its policies belong to it, and their paths are relative to it. */
  readonly namespace: Namespace;
  readonly token: Secret;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly displayName: string;
  readonly entityId: string;
  /** State of its entity and groups at the look-up of the token; each change of them gives another text. */
  readonly entityState?: string | undefined;
  readonly root: boolean;
  /** A batch token is not stored: it has no accessor, and cannot be renewed or revoked. */
  readonly tokenType: 'service' | 'batch';
  /** The token as stored at its look-up, with this use counted. */
  readonly row?: TokenRow;
  /** What audit entries contain about the token besides these members. */
  readonly issued?: {
    readonly time: Date;
    readonly ttlSeconds: number;
    readonly metadata: Readonly<Record<string, string>> | null;
  };
}

/** A valid token as stored. */
export interface TokenRow {
  readonly hash: Buffer;
  readonly namespace_id: string;
  /** Empty for a batch token. */
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly meta: Readonly<Record<string, string>> | null;
  readonly display_name: string;
  readonly path: string;
  readonly type: string;
  /** 0 for unlimited; -1 when the current request is the last one. */
  readonly num_uses: number;
  /** Seconds; 0 for none. The same applies to the other durations. */
  readonly period: number;
  readonly explicit_max_ttl: number;
  readonly creation_ttl: number;
  readonly creation_time: Date;
  /** Null when it never expires. */
  readonly expire_at: Date | null;
  readonly last_renewal_at: Date | null;
  readonly renewable: boolean;
  readonly orphan: boolean;
  /** Name of the token role that it was created with; empty for none. */
  readonly role: string;
  /** CIDR blocks; empty when it may be used from anywhere. */
  readonly bound_cidrs: readonly string[];
  /** The current entity: if the token's entity was merged, the one it was merged into. Empty when the token has no entity. */
  readonly entity_id: string;
  /** Changes with each change of the entity or of any group. Null when the entity is disabled, deleted or absent. */
  readonly entity_state: string | null;
  /** Current revision of the mount table, so that a process notices when its copy is stale. */
  readonly mounts_revision: number;
  /** The same for policies. */
  readonly policies_revision: number;
  /** Time of the look-up by the clock of the store. */
  readonly seen_at: Date;
}
