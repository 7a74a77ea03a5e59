/** A command of a run. */
export interface Command {
  readonly words: readonly string[];
  readonly folder: string;
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Gets the output, and holds it back until it resolves. */
  readonly output: (piece: Buffer) => Promise<void>;
  /** What the program says of itself; absent: as the output. */
  readonly complaints?: (piece: Buffer) => Promise<void>;
  /** The private folder of the run, whose size is limited. */
  readonly limitedFolder: string;
}

/** How a command ended. `reason`: why it was stopped. */
export interface Ended {
  readonly code: number | null;
  readonly reason: Stopped | undefined;
}

/** Why the agent stopped a command. */
export type Stopped = 'canceled' | 'lost' | 'time' | 'disk' | 'hidden' | 'memory' | 'processes';
