import type { WrittenJson } from '../../core/json/written.ts';

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
