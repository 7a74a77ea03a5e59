import type { LogLevels } from '#core/log/log.ts';

/** The parts of the rows about the process and the installation. */
export interface DiagnosisParts {
  readonly levels: LogLevels;
  readonly requests: () => readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly remoteAddress: string;
    readonly startedAt: Date;
  }[];
  /** The address the process listens on. */
  readonly address: string;
  /** The time when the store was created. */
  readonly installedAt: () => Promise<Date>;
  readonly countTokens: () => Promise<number>;
  readonly countEntities: () => Promise<number>;
}
