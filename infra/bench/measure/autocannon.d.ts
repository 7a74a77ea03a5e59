/** The package has no types; these are the parts that we use. */
declare module 'autocannon' {
  interface Request {
    readonly path?: string;
  }
  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    readonly method: 'GET' | 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
    readonly requests: readonly { readonly setupRequest: (request: Request) => Request }[];
  }
  interface Result {
    readonly '2xx': number;
    readonly non2xx: number;
    readonly errors: number;
    readonly timeouts: number;
    /** Seconds. */
    readonly duration: number;
  }
  const autocannon: (options: Options) => Promise<Result>;
  export = autocannon;
}
