import type { WrittenJson } from '../core/json/written.ts';
import type { Namespace } from '../core/namespace.ts';
import type { Secret } from '../core/secret.ts';
import type { Fields, Input } from './fields.ts';

/**
 * A row of the path table is everything that is known of a path: its pattern, its operations with their fields,
 * who may call them, and the text for people. Routing, validation, `?help=1` and the OpenAPI document all come from it.
 *
 * Patterns are relative to the mount: `config`, `versions/:name`, and `data/*path` where `*path` takes the rest, slashes
 * included. A `:name` parameter follows the name rule of the API (`\w(([\w-.]+)?\w)?`); a `*rest` parameter takes any text.
 * A pattern that ends in `/` is a listing only.
 */
export interface Row {
  readonly pattern: string;
  readonly help: string;
  readonly operations: Readonly<Partial<Record<Verb, Operation>>>;
  /** Says whether the thing exists, to decide between the capabilities create and update. Absent: always update. */
  readonly exists?: (input: Readonly<Record<string, unknown>>, context: RequestContext) => Promise<boolean>;
}

/** POST and PUT are both `write`. LIST and GET with `list=true` are both `list`. */
export type Verb = 'read' | 'list' | 'write' | 'patch' | 'delete';

/** One operation of a row, its field types erased. Made by `operation()`. */
export interface Operation {
  readonly summary: string;
  readonly fields: Fields;
  readonly marks: OperationMarks;
  run(input: Readonly<Record<string, unknown>>, context: RequestContext): Promise<Reply>;
}

export interface OperationMarks {
  /** Needs no token. */
  readonly unauthenticated?: boolean;
  /** With `unauthenticated`: the token that came is not looked up, so no use of it is counted and there is no caller. */
  readonly ignoresToken?: boolean;
  /** Needs the sudo capability as well. */
  readonly sudo?: boolean;
  /** Is about the whole service, so no other namespace has it than the root, or the one that administers the service too. */
  readonly rootNamespaceOnly?: boolean | 'or-administrative';
  /** Answers in a namespace that is locked. */
  readonly whileLocked?: boolean;
  /** Answers while the service is sealed or not initialised. */
  readonly whileSealed?: boolean;
  /** Fields that the row does not name are handed to the handler as they are instead of being ignored with a warning. */
  readonly anyFields?: boolean;
  /** Why a field that the row does not name is refused; undefined: it is ignored with a warning. */
  readonly refuses?: (name: string, value: unknown) => string | undefined;
  /** Its body may be as large as the server takes any. Others are small. */
  readonly large?: boolean;
  /** Its reply is not in the envelope. */
  readonly ownForm?: boolean;
}

interface OperationSpec<F extends Fields> extends OperationMarks {
  readonly summary: string;
  readonly run: (input: Input<F>, context: RequestContext) => Promise<Reply>;
}

/** Ties a handler to its fields: a name that is not among them does not compile. */
export function operation<F extends Fields>(fields: F, spec: OperationSpec<F>): Operation {
  const { summary, run, ...marks } = spec;
  // The pipeline parses the input with `fields` before it calls `run`.
  return { summary, fields, marks, run: run as Operation['run'] };
}

/** Rows that a namespace below the root does not have. */
export const onlyInRoot = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => {
    const marked = Object.entries(row.operations).map(([verb, { marks, ...others }]) => {
      return [verb, { ...others, marks: { ...marks, rootNamespaceOnly: true } }];
    });
    return { ...row, operations: Object.fromEntries(marked) };
  });

/**
 * What a handler answers. `undefined`: nothing to say (204 after a write or delete, 404 after a read or list).
 * `data` goes into the envelope; a list answers `{ keys }`, and no keys is 404.
 */
export type Reply = ReplyContent | undefined;

export interface ReplyContent {
  readonly data?: object | null;
  readonly auth?: AuthReply;
  readonly warnings?: readonly string[];
  readonly leaseDuration?: number;
  /** Another status than the operation's own, for example 404 with the metadata of a deleted version. */
  readonly status?: number;
  /** The members of `data` stand at the top level as well. */
  readonly flat?: boolean;
  /** A value in `data` that is written already. */
  readonly written?: WrittenJson;
  /** Of a secret in `data` that can be ended by it; shown to whoever asks for a wrapped reply. */
  readonly secretAccessor?: string;
  /** The reply itself was kept; this is the token that takes it. It stands alone in the envelope. */
  readonly wrapInfo?: WrapInfo;
  /** Replaces the envelope. */
  readonly body?: object;
  /** Replaces the envelope by something that is not JSON. */
  readonly text?: { readonly contentType: string; readonly body: string };
}

/** The `wrap_info` object of wrapped replies. */
export interface WrapInfo {
  readonly token: string;
  readonly accessor: string;
  /** Seconds. */
  readonly ttl: number;
  /** RFC 3339. */
  readonly creation_time: string;
  readonly creation_path: string;
  /** Of the token in the wrapped reply. */
  readonly wrapped_accessor?: string;
}

/** The `auth` object of replies that bring a token. */
export interface AuthReply {
  readonly client_token: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly token_policies: readonly string[];
  /** Those that its entity and its groups bring; absent: none. */
  readonly identity_policies?: readonly string[];
  /** Those that groups bring of other namespaces, by the id of the namespace; absent: none. */
  readonly external_namespace_policies?: Readonly<Record<string, readonly string[]>>;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly lease_duration: number;
  readonly renewable: boolean;
  readonly entity_id: string;
  readonly token_type: string;
  readonly orphan: boolean;
  readonly num_uses: number;
  /** The login waits for codes, and there is no token yet. */
  readonly mfa_requirement?: MfaRequirement;
}

/** What a login waits for: of each constraint one of its methods. */
export interface MfaRequirement {
  readonly mfa_request_id: string;
  readonly mfa_constraints: Readonly<
    Record<
      string,
      {
        readonly any: readonly {
          readonly type: string;
          readonly id: string;
          readonly uses_passcode: boolean;
          readonly name: string;
        }[];
      }
    >
  >;
}

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
  /** What audit devices are told of the token beside that. */
  readonly issued?: {
    readonly time: Date;
    readonly ttlSeconds: number;
    readonly metadata: Readonly<Record<string, string>> | null;
  };
}

/** An entry of the mount table. `path` has a trailing slash and no leading one; `sys/` and `auth/token/` are entries too. */
export interface Mount {
  readonly id: string;
  readonly path: string;
  /** `kv`, `system`, `token`, `cubbyhole`, ... */
  readonly type: string;
  readonly accessor: string;
  readonly uuid: string;
  readonly description: string;
  readonly options: Readonly<Record<string, string>> | null;
  readonly config: MountConfig;
  readonly local: boolean;
  readonly sealWrap: boolean;
}

export interface MountConfig {
  readonly default_lease_ttl: number;
  readonly max_lease_ttl: number;
  readonly force_no_cache: boolean;
  readonly listing_visibility?: string;
  readonly [key: string]: unknown;
}

/** What can be mounted. `matches` distinguishes engines of one type, as kv version 1 and 2. */
export interface Engine {
  readonly type: string;
  readonly matches?: (mount: Mount) => boolean;
  readonly rows: readonly Row[];
  /** Where it is mounted without anybody having mounted it, for good. The list of mounts shows it there. */
  readonly always?: { readonly path: string; readonly description: string };
  /**
   * The role, in the letters of its name, that a login at a mount asks for with its data; undefined: none that it can be. Absent:
   * nobody logs in here by a role.
   */
  readonly loginRole?: (data: Readonly<Record<string, unknown>>, mount: Mount) => Promise<string | undefined>;
  /** Text of the warning in the 404 for a path that no row of this engine has. */
  readonly unsupportedPathWarning?: (verb: Verb) => string;
}

/** Resolves a path to the longest mount that holds it. */
export interface MountTable {
  /** `path` is relative to the namespace; absent: the root. */
  resolve(path: string, namespace?: Namespace): Promise<Mount | undefined>;
  /** While it is the same object, a path leads where it has led. Absent or undefined: nobody knows. */
  state?(): object | undefined;
}

/** A namespace that a request leads to. */
export interface LocatedNamespace extends Namespace {
  /** The path of the namespace whose lock keeps requests out: itself, or one above. */
  readonly lockedBy: string | undefined;
  /** It is being deleted. */
  readonly isEnding: boolean;
}

/** Finds the namespace of a request. */
export interface NamespaceFinder {
  /**
   * The longest path of a namespace that header and path together begin with, and what is left. Undefined: the header, a full
   * path with a trailing slash or empty, names no namespace.
   */
  locate(
    header: string,
    path: string,
  ): Promise<{ readonly namespace: LocatedNamespace; readonly path: string } | undefined>;
  /** Reads again what this process knows: of a request without a token nobody has asked the store anything. */
  refresh(): Promise<void>;
}
