import type { Kysely } from 'kysely';
import { type Clock, startStopwatch } from '#core/clock.ts';
import { timestamptz } from '../sql/kinds.ts';
import { rowsOf } from '../sql/rows.ts';
import type { Database } from '../tables.ts';

/**
 * The time of PostgreSQL without a query: measured now and then, and extrapolated in between. Accurate to one round trip, whatever
 * the clock of the process says. Comparisons that must be exact belong in a statement.
 */
export class StoreClock implements Clock {
  readonly #clock: Clock;
  #measured: { readonly at: number; readonly elapsedMs: () => number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    if (this.#measured === undefined) throw new Error('the time of the store has not been measured yet');
    const { at, elapsedMs } = this.#measured;
    return new Date(at + elapsedMs());
  }

  async measure(db: Kysely<Database>): Promise<void> {
    const elapsedMs = startStopwatch(this.#clock);
    const { rows } = await rowsOf({ at: timestamptz })`select clock_timestamp() as at`.execute(db);
    const halfwayMs = elapsedMs() / 2;
    const [row] = rows;
    if (row !== undefined) this.#measured = { at: row.at.getTime() - halfwayMs, elapsedMs };
  }
}
