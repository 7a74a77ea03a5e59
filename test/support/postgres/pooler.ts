import { findPooler, type PoolerRelease } from '#infra/local/pooler/program.ts';
import { type PoolerOptions, startPooler } from '#infra/local/pooler/start.ts';
import type { LocalServer } from '#infra/local/server.ts';

/** Starts poolers of a release. Undefined when the release is not available; the reason is printed. */
export async function poolerOf(
  release: PoolerRelease,
): Promise<((options: Omit<PoolerOptions, 'program'>) => Promise<LocalServer>) | undefined> {
  const program = await findPooler(release);
  if (typeof program !== 'string') return (options) => startPooler({ program, ...options });
  process.stderr.write(`skipped: ${program}\n`);
  return undefined;
}

/** The parameters that the documentation tells users to make PgBouncer ignore. */
export const ignoring = {
  ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout,options',
};
