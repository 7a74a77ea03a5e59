/** A request as the pipeline gets it, whatever brought it. */
export interface Incoming {
  readonly requestId: string;
  /** The true verb: `LIST` where the client sent LIST. */
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Headers;
  /** Undefined: no body came. */
  readonly body: string | undefined;
  /** Told once, when it is known, which row of the path table the request is for. */
  readonly onRoute?: (route: string) => void;
  /** Calls `gone` once when the connection closes. */
  onClose(gone: () => void): void;
}

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An answer as bytes-to-be: `body` is JSON text unless `contentType` says what else it is. */
export interface Outgoing {
  readonly status: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The single value of a header; of a repeated one the first. */
export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value[0];
}
