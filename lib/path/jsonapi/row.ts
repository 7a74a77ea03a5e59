import type { Readable } from 'node:stream';
import type { Json } from '../../core/json.ts';
import type { Caller } from '../contract/request.ts';
import type { Identifier, Resource } from './resource.ts';

/** Who calls the workspace service (specification 002, section 5; reference, workspaces 2 "tokens"). */
export type ApiCaller = Acting & Identity;

interface Acting {
  /** Ids of the organizations in which its request has found it, the first one first: a change belongs to that one. */
  readonly actsIn: Set<string>;
}

type Identity =
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly username: string;
      /** May everything in every organization. */
      readonly siteAdmin: boolean;
      /** Of its token in this service; undefined: a token of the secrets service came. */
      readonly tokenId?: string | undefined;
      /** Who the token of the secrets service is; undefined: it is one of this service. */
      readonly elsewhere?: Caller | undefined;
    }
  | { readonly kind: 'team'; readonly id: string; readonly organizationId: string; readonly tokenId: string }
  | { readonly kind: 'organization'; readonly id: string; readonly tokenId: string }
  /** A token that reads the audit trail of the organization of that id, and nothing else. */
  | { readonly kind: 'audit-trail'; readonly id: string; readonly tokenId: string };

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** An operation of the workspace service: what its path table consists of. */
export interface ApiRow {
  readonly method: Method;
  /** From the root of the server: `/api/v2/workspaces/:workspace_id`. A `:name` takes one segment. */
  readonly path: string;
  readonly summary: string;
  /** Needs no token: discovery, and addresses that are secrets themselves. */
  readonly open?: boolean;
  /**
   * Of an open row, what its requests are counted by, such as the thing that a signed address is for. Absent or undefined: the
   * address of the connection, as for all requests without a token.
   */
  countedBy?(parameters: ApiCall['parameters']): string | undefined;
  /** Answers the tokens of audit trails as well. Every other row is 404 for them. */
  readonly forAuditTrails?: boolean;
  /** Probes ask for it all the time, and it shows and changes nothing: audit devices do not record it. */
  readonly unrecorded?: boolean;
  /**
   * Parameters of the path that give access by themselves. No log shows them in clear, apart from what the function answers of
   * one: text in front of what stands for it.
   */
  readonly secrets?: Readonly<Record<string, (value: string) => string>>;
  /** The body goes to the handler as it arrives, of any media type, at most so many bytes. Else it is a document. */
  readonly streamBytesMax?: number;
  run(call: ApiCall): Promise<ApiReply | undefined>;
}

export interface ApiCall {
  readonly requestId: string;
  /** @throws Error of a row that is `open`: a mistake in the program */
  readonly caller: ApiCaller;
  /** Of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parsed body; undefined: there is none. */
  readonly body: Json | undefined;
  /** Of a row with `streamBytesMax`. Rejects with `ApiError` 413 when more comes, and with 400 when it ends early. */
  readonly stream: AsyncIterable<Buffer>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Scheme and authority under which the client knows this service, such as `https://keys.example`. */
  readonly origin: string;
  /** Path and query as they were sent. */
  readonly url: string;
  /** Ends when the client has gone or the request's time is over. */
  readonly signal: AbortSignal;
}

/** What a handler answers; undefined: 204. */
export type ApiReply = DocumentReply | BytesReply;

export interface DocumentReply {
  /** Absent: 200. */
  readonly status?: 200 | 201 | 202;
  readonly data: Resource | readonly Resource[] | Identifier | readonly Identifier[] | null;
  readonly included?: readonly Resource[];
  /** Of a list that comes in pages. */
  readonly page?: PageOfAll;
  /** Beside what the page says. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Anything but a document. */
export interface BytesReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** Absent: no body. */
  readonly bytes?: Buffer | string | Readable;
}

/** Which page this is, of how many items. */
export interface PageOfAll {
  readonly number: number;
  readonly size: number;
  /** Of all pages together. */
  readonly totalCount: number;
}
