import { type Kysely, sql } from 'kysely';
import { type Clock, startStopwatch } from '../../core/clock.ts';
import type { Database } from '../tables.ts';

/**
 * The time of PostgreSQL, as this process knows it without asking: measured now and then, and counted on from there. It is off by
 * a round trip at most, whatever the clock of the process says. What has to be exact is compared in a statement.
 */
export class StoreClock implements Clock {
  readonly #clock: Clock;
  #measured: { readonly at: number; readonly elapsedMs: () => number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    if (this.#measured === undefined) throw new Error('the time of the store was not measured yet');
    const { at, elapsedMs } = this.#measured;
    return new Date(at + elapsedMs());
  }

  async measure(db: Kysely<Database>): Promise<void> {
    const elapsedMs = startStopwatch(this.#clock);
    const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db);
    const halfwayMs = elapsedMs() / 2;
    const [row] = rows;
    if (row !== undefined) this.#measured = { at: row.at.getTime() - halfwayMs, elapsedMs };
  }
}
