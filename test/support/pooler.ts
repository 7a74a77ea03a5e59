import { findPooler, type PoolerRelease } from '../../infra/local/pooler/program.ts';
import { type PoolerOptions, startPooler } from '../../infra/local/pooler/start.ts';
import type { LocalServer } from '../../infra/local/server.ts';

/** A pooler of a release. Undefined where it cannot be had, with the reason printed. */
export async function poolerOf(
  release: PoolerRelease,
): Promise<((options: Omit<PoolerOptions, 'program'>) => Promise<LocalServer>) | undefined> {
  const program = await findPooler(release);
  if (typeof program !== 'string') return (options) => startPooler({ program, ...options });
  process.stderr.write(`skipped: ${program}\n`);
  return undefined;
}

/** What documents tell people to let PgBouncer take no notice of. */
export const ignoring = {
  ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout,options',
};
