import type { Readable } from 'node:stream';
import { uuid } from '#core/ids.ts';
import type { ClientConnection } from '#path/contract/request.ts';

/** Answers a request. It never rejects: errors become answers. */
export type Pipeline = (incoming: Incoming) => Promise<Outgoing>;

/** A request as a pipeline receives it, from a socket or a Lambda event. */
export interface Incoming {
  readonly requestId: string;
  /** The verb that the client sent, `LIST` included. */
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: IncomingBody;
  readonly connection: ClientConnection;
  /** Whether the client gets the bytes of a reply as they are sent. A function gives the platform the whole reply. */
  readonly isStreamed: boolean;
  /** Called once, when the row of the path table is known, with its route and with the path without secret parts. */
  readonly onRoute?: (route: string, shownPath: string) => void;
  /** Calls `gone` once when the connection closes. */
  onClose(gone: () => void): void;
}

/** A request's body, which may still be arriving. It need not be read. */
export interface IncomingBody {
  /** In bytes; undefined when the head of the request does not state it. */
  readonly length: number | undefined;
  /**
   * Reads the body if it has at most `bytesMax` bytes. Returns false for a longer one, which may be unread.
   *
   * @throws AppError
   */
  first(bytesMax: number): Promise<boolean>;
  /** The text of a body that was read by `first`. @throws AppError `bad-request` */
  text(): string;
  /**
   * Reads a longer body to its end and passes on its text piece by piece, yielding to other work in between.
   *
   * @throws AppError `too-large`, `bad-request`, `unavailable` when the memory is used up, and what `take` throws
   */
  rest(bytesMax: number, take: (piece: string) => void): Promise<void>;
  /**
   * The bytes of the body as they arrive, without keeping them. Used instead of `first` and `rest`.
   *
   * @throws AppError `too-large`, `bad-request` when it is incomplete
   */
  pieces(bytesMax: number): AsyncIterable<Buffer>;
  /** Reports how many members the parsed data have so far. @throws AppError `unavailable` when the memory is used up */
  weigh(members: number): void;
  /**
   * Reserves memory for a stored secret, in bytes. Of several secrets the longest counts.
   *
   * @throws AppError `unavailable` when the memory is used up, and when the request has been answered
   */
  hold(bytes: number): void;
  /** Releases the memory once the answer is known or sent. From then on the unread rest is received and discarded. */
  release(): void;
  /** Resolves when the whole body has been received; never rejects. */
  gone(): Promise<void>;
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An answer before it is written. `body` is JSON text unless `contentType` says otherwise; a long one is in pieces. */
export interface Outgoing {
  readonly status: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`, a header that cannot be joined into one. */
  readonly cookies?: readonly string[];
  readonly body: string | readonly Buffer[] | Readable | undefined;
  /** Work for the rest of the body, which goes on after the head. It never rejects. */
  readonly work?: Promise<void>;
}

/** The value of a header; the first one if it is repeated. */
export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value[0];
}

/** Request ids that are copied to logs and replies unchanged. */
const safeRequestId = /^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/;

/** The id that the client or a proxy gave the request if it is safe to repeat, otherwise a new one. */
export function requestIdOf(headers: Headers): string {
  const given = header(headers, 'x-request-id') ?? header(headers, 'x-correlation-id');
  return given !== undefined && safeRequestId.test(given) ? given : uuid();
}

/** The path and query of a request target. Through a proxy it may start with scheme and host (RFC 9112, 3.2.2). */
export const originForm = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, '');
