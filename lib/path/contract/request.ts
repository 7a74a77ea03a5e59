import type { Namespace } from '../../core/namespace.ts';
import type { Secret } from '../../core/secret.ts';
import type { Mount } from './mount.ts';
import type { TokenRow } from './token-row.ts';

/** POST and PUT are both `write`. LIST and GET with `list=true` are both `list`. */
export type Verb = 'read' | 'list' | 'write' | 'patch' | 'delete';

/** What a handler may know of its request. */
export interface RequestContext {
  readonly requestId: string;
  /** Absent only where the operation is marked `unauthenticated` and no valid token came. */
  readonly caller: Caller | undefined;
  /** Whether a token came; without a caller it is not a valid one. */
  readonly tokenSent: boolean;
  /** The token as it came, whatever it is worth. */
  readonly sentToken?: Secret | undefined;
  /** Seconds for which the reply shall be wrapped; undefined: not at all. */
  readonly wrapSeconds?: number | undefined;
  /** The caller has the sudo capability on the path, whether it is needed or not. */
  readonly sudo: boolean;
  readonly connection: ClientConnection;
  /** That the request is for; the paths of mounts are relative to it. */
  readonly namespace: Namespace;
  readonly mount: Mount;
  /** Path below the mount, without a leading slash. */
  readonly path: string;
  readonly verb: Verb;
  /** Names in the reply: those of the specification or those that existing clients of the API family know. */
  readonly vocabulary: Vocabulary;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: URLSearchParams;
  /** Ends when the client has gone or the request's time is over. */
  readonly signal: AbortSignal;
  /**
   * Takes memory for a long stored secret, in bytes, until the reply is sent; of several the longest counts.
   *
   * @throws AppError `unavailable` when others have it
   */
  hold(bytes: number): void;
  /** Adds a text to the reply's `warnings`. */
  warn(message: string): void;
  /** Throws `permission-denied` unless the caller may do this on another path of the namespace. */
  mustBeAllowed(verb: Verb, fullPath: string): Promise<void>;
  /** Whether some rule of the caller's policies grants anything on a path of the namespace or below it. */
  reaches(fullPath: string): Promise<boolean>;
}

export type Vocabulary = 'canonical' | 'alias';

/** How a request reached this process, or the gateway of the platform in front of it. */
export interface ClientConnection {
  /** Of who opened the connection, which may be a proxy. IPv4 is in dotted form. Empty: nobody knows it any more. */
  readonly remoteAddress: string;
  /** Absent: nobody knows it. */
  readonly remotePort?: number | undefined;
  /** The connection is encrypted. */
  readonly tls: boolean;
}

/** The caller of a request: a valid token. */
export interface Caller {
  /** That the token was made in: its policies are of it, and their paths relative to it. */
  readonly namespace: Namespace;
  readonly token: Secret;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly displayName: string;
  readonly entityId: string;
  /** What its entity and its groups were like when the token was looked up; another text after each change of them. */
  readonly entityState?: string | undefined;
  readonly root: boolean;
  /** A batch token is not stored: it has no accessor, and cannot be renewed or revoked. */
  readonly tokenType: 'service' | 'batch';
  /** The token as the store had it when it let the caller in, this use counted. */
  readonly row?: TokenRow;
  /** What audit devices are told of the token beside that. */
  readonly issued?: {
    readonly time: Date;
    readonly ttlSeconds: number;
    readonly metadata: Readonly<Record<string, string>> | null;
  };
}
