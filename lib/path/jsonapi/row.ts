import type { Readable } from 'node:stream';
import type { Caller } from '../contract/request.ts';
import type { BodySchema } from './input.ts';
import type { PageOfAll } from './page.ts';
import type { QueryFields } from './query.ts';
import type { Identifier, Resource } from './resource.ts';

/** The caller of the workspace service. */
export type ApiCaller = Acting & Identity;

interface Acting {
  /** Ids of the organizations that its request is about, in the order in which they were found. The audit trail of the first one records a change. */
  readonly actsIn: Set<string>;
}

type Identity =
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly username: string;
      /** Has all rights in every organization. */
      readonly siteAdmin: boolean;
      /** The id of its token in this service; undefined for a token of the secrets service. */
      readonly tokenId: string | undefined;
      /** The caller of the secrets service behind the token; undefined for a token of this service. */
      readonly elsewhere: Caller | undefined;
    }
  | { readonly kind: 'team'; readonly id: string; readonly organizationId: string; readonly tokenId: string }
  | { readonly kind: 'organization'; readonly id: string; readonly tokenId: string }
  /** A token that can only read the audit trail of the organization with this id. */
  | { readonly kind: 'audit-trail'; readonly id: string; readonly tokenId: string }
  /** The token of the agent pool with this id. It can only take work. */
  | { readonly kind: 'agents'; readonly id: string; readonly organizationId: string; readonly tokenId: string }
  /** The agent at work on one part of the run with this id, until its lease or the part ends. */
  | {
      readonly kind: 'run';
      readonly id: string;
      readonly part: 'plan' | 'apply';
      /** How often the part was taken. */
      readonly epoch: number;
      readonly agentId: string;
      readonly workspaceId: string;
      readonly organizationId: string;
      readonly tokenId: string;
    }
  /** The service of a run task that was asked for the result with this id, until it has given it. */
  | {
      readonly kind: 'task';
      readonly id: string;
      readonly runId: string;
      readonly workspaceId: string;
      readonly organizationId: string;
      readonly tokenId: string;
    };

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** One row of the path table of the workspace service, without the types of its input. `operation()` of that service makes it. */
export interface ApiRow {
  readonly method: Method;
  /** From the root of the server: `/api/v2/workspaces/:workspace_id`. A `:name` matches one segment. */
  readonly path: string;
  /** Imperative, without a period, for the OpenAPI document. */
  readonly summary: string;
  /** The resource that a request is about, and the right that the caller needs on it. */
  readonly needs: Needs;
  /** Names the resource where the path does not. */
  readonly named?: (asked: AskedRequest) => unknown;
  readonly query: QueryFields;
  readonly body?: BodySchema<unknown>;
  readonly replies: Replies;
  /** No token is needed: discovery, and addresses that are secrets themselves. */
  readonly open: boolean;
  /** The key under which the rate limit counts requests to an open row. Absent or undefined: the client's address. */
  countedBy?(parameters: Readonly<Record<string, string>>): string | undefined;
  /** Audit devices do not record it: probes call it often, and it neither shows nor changes data. */
  readonly unrecorded: boolean;
  /** Path parameters that are secrets, each with the part of it that logs show in front of its hash. */
  readonly secrets: Readonly<Record<string, (value: string) => string>>;
  /** The handler gets the body as a stream of any media type, up to this many bytes. Absent: the body is a document. */
  readonly streamBytesMax?: number;
  run(request: ApiRequest): Promise<RowReply>;
}

/** One member: a noun and the right that the caller needs, such as `{ workspace: 'admin' }`. */
export type Needs = Readonly<Record<string, string>>;

/** The replies of a row by status. */
export type Replies = Readonly<Record<number, ReplyForm>>;

/**
 * `'workspaces'` is a document about one workspace, `['workspaces']` a list, null no body. `oneOf` is a document about one resource of several types.
 * Bytes name their media type. For statuses from 400 it is a sentence that describes the refusal.
 */
export type ReplyForm =
  | string
  | readonly [string]
  | null
  | { readonly oneOf: readonly string[] }
  | { readonly mediaType: string };

/** The input of a request, read by the fields of its row. */
export interface AskedRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The input of a handler. */
export interface RequestOf<P, Q, B, F> extends RequestContext {
  /** Parameters of the path, decoded. */
  readonly parameters: P;
  readonly query: Q;
  readonly body: B;
  /** The resource that the row needs. The caller has the right. */
  readonly found: F;
}

export interface RequestContext {
  readonly requestId: string;
  /** @throws Error in an `open` row (a programming error) */
  readonly caller: ApiCaller;
  /** The body of a row with `streamBytesMax`. Rejects with `ApiError` 413 when it is longer, and with 400 when it ends early. */
  readonly stream: AsyncIterable<Buffer>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Scheme and authority under which the client knows this service, such as `https://keys.example`. */
  readonly origin: string;
  /** The address of the client, in front of trusted proxies; empty when it is not known. */
  readonly remoteAddress: string;
  /** Path and query as sent. */
  readonly url: string;
  /** Aborts when the client disconnects or the request times out. */
  readonly signal: AbortSignal;
  /** Whether the handler may answer with a `PaddedReply`. */
  readonly mayPad: boolean;
}

/** A handler's input without its types. */
export type ApiRequest = RequestOf<
  Readonly<Record<string, string>>,
  Readonly<Record<string, unknown>>,
  unknown,
  unknown
>;

/** Finds the resource that a row needs, and checks the caller's right on it. @throws ApiError 404, 403 */
export type FindNeeded = (needs: Needs, asked: NeededBy) => Promise<unknown>;

export interface NeededBy {
  readonly caller: ApiCaller;
  readonly parameters: Readonly<Record<string, string>>;
  /** The result of the row's `named`; undefined: the path names the resource. */
  readonly named: unknown;
}

/** The result of a handler. */
export type RowReply = ApiReply | PaddedReply | undefined;

/**
 * A reply that may take minutes. Until it comes, the client gets a byte of white space now and then. `signal` tells the handler that no client waits for
 * it any longer. It is recorded by audit devices when it comes, and in no audit trail of an organization.
 */
export interface PaddedReply {
  readonly awaited: Promise<DocumentReply | undefined>;
}

/** A reply; undefined: 204. */
export type ApiReply = DocumentReply | BytesReply;

export interface DocumentReply {
  /** Absent: 200. */
  readonly status?: 200 | 201 | 202;
  readonly data: Resource | readonly Resource[] | Identifier | readonly Identifier[] | null;
  readonly included?: readonly Resource[];
  /** The page of a list. */
  readonly page?: PageOfAll;
  /** In addition to the counts of the page. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Any reply other than a document. */
export interface BytesReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** Absent: no body. */
  readonly bytes?: Buffer | string | Readable;
}
