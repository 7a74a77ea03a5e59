import type { WrittenJson } from '#core/json/write.ts';

/**
 * The reply of a handler. `undefined` is a reply without content: 204 after a write or delete, 404 after a read or list.
 * `data` goes into the envelope; a list replies with `{ keys }`, and an empty list is 404.
 */
export type Reply = ReplyContent | undefined;

export interface ReplyContent {
  readonly status?: undefined;
  readonly data?: object | null;
  readonly auth?: AuthReply;
  readonly warnings?: readonly string[];
  readonly leaseDuration?: number;
  /** The members of `data` also appear at the top level. */
  readonly flat?: boolean;
  /** A value in `data` that is already serialised. */
  readonly written?: WrittenJson;
  /** Accessor by which a secret in `data` can be revoked. A client that requests a wrapped reply is shown it. */
  readonly secretAccessor?: string;
  /** The reply itself was stored; this is the token that fetches it. It is alone in the envelope. */
  readonly wrapInfo?: WrapInfo;
  readonly body?: undefined;
  /** Headers of a reply in the envelope, or with `body`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the envelope by a text of another content type. */
  readonly text?: { readonly contentType: string; readonly body: string };
}

/**
 * A reply whose status is not the usual one of its operation, for example 404 with the metadata of a deleted version. The operation
 * declares the status in its `replies`. With 304 there is no body.
 */
export interface ReplyWith<S extends number> extends Omit<ReplyContent, 'status' | 'body'> {
  readonly status: S;
  /** Replaces the envelope. */
  readonly body?: object;
}

/** A reply that has no envelope. Its operation declares the form in its `replies`. */
export interface OwnReply extends Omit<ReplyContent, 'body'> {
  readonly body: object;
}

/** The work goes on after the reply. */
export type Accepted = ReplyWith<202>;

/** The reply of any operation. */
export type AnyReply = Reply | OwnReply | ReplyWith<number>;

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

/** The `auth` object of replies that contain a token. */
export interface AuthReply {
  readonly client_token: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly token_policies: readonly string[];
  /** Policies of its entity and groups; absent when there are none. */
  readonly identity_policies?: readonly string[];
  /** Policies of groups in other namespaces, by the id of the namespace; absent when there are none. */
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

/** The codes that a login waits for: one method of each constraint. */
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
