/** A server that this process has started, on 127.0.0.1. */
export interface LocalServer {
  /** Contains the password: not for logs. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves with the reason when it has ended, for whatever cause. */
  readonly ended: Promise<string>;
  /** Ends it cleanly. `kill` ends it at once, with work unfinished. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}
