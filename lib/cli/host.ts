/** What the program gets from its process. Tests pass their own. */
export interface Host {
  /** Without the program itself. */
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly output: Sink;
  readonly errors: Sink;
  /** The home directory, for the file with the token. */
  readonly home: string;
  readonly version: string;
  /** Aborts when the user interrupts the program. */
  readonly signal: AbortSignal;
  /** Opens an address in the browser of the user, if there is one. Never fails. */
  openBrowser(address: string): Promise<void>;
  /** Runs an agent until a signal ends it, with the settings of this environment. Its code is loaded with the first call. */
  runAgent(options: AgentOptions): Promise<void>;
}

export interface AgentOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends once the agent could take work. */
  readonly checks: boolean;
}

/** Standard output or standard error. */
export interface Sink {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}
