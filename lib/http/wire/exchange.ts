import type { Readable } from 'node:stream';
import { uuid } from '../../core/ids.ts';
import type { ClientConnection } from '../../path/contract/request.ts';

/** A request as the pipeline gets it, whatever brought it. */
export interface Incoming {
  readonly requestId: string;
  /** The true verb: `LIST` where the client sent LIST. */
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: IncomingBody;
  readonly connection: ClientConnection;
  /** Called once with the row of the path table that the request is for, when it is known, and the path without its secret parts. */
  readonly onRoute?: (route: string, shownPath: string) => void;
  /** Calls `gone` once when the connection closes. */
  onClose(gone: () => void): void;
}

/** A request's body, which may still be on its way. What was not read is of no matter to anybody. */
export interface IncomingBody {
  /** In bytes, where the head says it. */
  readonly length: number | undefined;
  /**
   * Reads the body if it is no longer than that. False: it is, and perhaps nothing was read yet.
   *
   * @throws AppError
   */
  first(bytesMax: number): Promise<boolean>;
  /** The text of a body that was read by `first`. @throws AppError `bad-request` */
  text(): string;
  /**
   * Reads the whole of a longer body: gives its text away piece by piece, with time for others in between.
   *
   * @throws AppError `too-large`, `bad-request`, `unavailable` when the memory is taken, and what `take` throws
   */
  rest(bytesMax: number, take: (piece: string) => void): Promise<void>;
  /**
   * All of the body as it comes, however long; in place of `first` and `rest`. Nothing of it is held.
   *
   * @throws AppError `too-large`, `bad-request` when it does not arrive whole
   */
  pieces(bytesMax: number): AsyncIterable<Buffer>;
  /** Called while data are made of it with the number of their members so far. @throws AppError `unavailable` when the memory is taken */
  weigh(members: number): void;
  /**
   * Takes memory for a stored secret, in bytes; of several the longest counts.
   *
   * @throws AppError `unavailable` when the memory is taken, and when the request was answered
   */
  hold(bytes: number): void;
  /** Gives back the memory, when the answer is known or sent. What was not read is read away from then on. */
  release(): void;
  /** When all of it has come; never fails. */
  gone(): Promise<void>;
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An answer as bytes-to-be: `body` is JSON text unless `contentType` says what else it is; a long one is in pieces. */
export interface Outgoing {
  readonly status: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | readonly Buffer[] | Readable | undefined;
}

/** The single value of a header; of a repeated one the first. */
export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value[0];
}

/** What may stand in logs and replies as it came. */
const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{7,127}$/;

/** The id that the client or a proxy gave the request, if it looks like one; else a new one. */
export function requestIdOf(headers: Headers): string {
  const given = header(headers, 'x-request-id') ?? header(headers, 'x-correlation-id');
  return given !== undefined && sane.test(given) ? given : uuid();
}
