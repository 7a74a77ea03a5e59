import { type QueryExecutorProvider, sql } from 'kysely';
import { ConfigError } from '../../core/config.ts';

/** The oldest major version that the migrations and statements are tested with. */
const majorMin = 15;

/** @throws ConfigError in one line when the server is older than what this release works with */
export async function mustBeSupported(db: QueryExecutorProvider): Promise<void> {
  const version = await serverVersion(db);
  if (Number.parseInt(version, 10) >= majorMin) return;
  throw new ConfigError(
    `PostgreSQL ${version} is too old: use ${majorMin} or later, or set DATABASE_URL to such a server`,
  );
}

/** As `15.18 (Debian 15.18-0+deb12u1)`. */
export async function serverVersion(db: QueryExecutorProvider): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  return rows[0]?.version ?? '';
}
