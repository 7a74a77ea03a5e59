/** A server that this process has started, on 127.0.0.1. */
export interface LocalServer {
  /** With its password: not for logs. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when it has ended, whoever ended it, with how. */
  readonly ended: Promise<string>;
  /** Ends it cleanly. `kill` does not let it finish anything. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}
