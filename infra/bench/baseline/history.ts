import type { Figure } from '../measure/figure.ts';
import { type Side, type Versus, versus } from '../measure/meter.ts';
import type { Stage } from '../stage.ts';

/** The history of attempts may cost a twentieth of the pace. */
const target = { share: 0.95 };

/** The same worker while a trigger keeps PostgreSQL from storing the attempts, in turns. */
export async function besideNoHistory(
  { database }: Stage,
  { ours, ...rounds }: Pick<Versus, 'rounds' | 'limitMs' | 'ours'>,
): Promise<readonly Figure[]> {
  await database.query(`
    create function bench_skip() returns trigger language plpgsql as 'begin return null; end';
    create trigger bench_no_history before insert on sync_attempts for each row execute function bench_skip()`);
  const stored = (are: boolean): Side => ({
    process: ours.process,
    async work() {
      await database.query(`alter table sync_attempts ${are ? 'disable' : 'enable'} trigger bench_no_history`);
      return await ours.work();
    },
  });
  const what = '  the same; without the history of attempts';
  try {
    return await versus({ ...rounds, what, ours: stored(true), bare: stored(false), target });
  } finally {
    await database.query('drop trigger bench_no_history on sync_attempts; drop function bench_skip()');
  }
}
