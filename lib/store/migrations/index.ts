import type { QueryExecutorProvider } from 'kysely';
import { initial } from './0001-initial.ts';

/** A step forward of the schema. There are no steps back: what was released is never edited, a new step mends it. */
export interface Migration {
  readonly name: string;
  /** Runs in a transaction of its own. */
  readonly up: (tx: QueryExecutorProvider) => Promise<void>;
}

/** In the order in which they run. */
export const migrations: readonly Migration[] = [{ name: '0001-initial', up: initial }];
