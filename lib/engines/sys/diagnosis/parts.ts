import type { LogLevels } from '../../../core/log.ts';

/** What the rows about the process and the installation need. */
export interface DiagnosisParts {
  readonly levels: LogLevels;
  readonly requests: () => readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly remoteAddress: string;
    readonly startedAt: Date;
  }[];
  /** Where the process listens. */
  readonly address: string;
  /** When the store was made. */
  readonly installedAt: () => Promise<Date>;
  readonly countTokens: () => Promise<number>;
  readonly countEntities: () => Promise<number>;
}
