import type { QueryExecutorProvider } from 'kysely';
import { ConfigError } from '#core/config.ts';
import { text } from '../sql/kinds.ts';
import { rowsOf } from '../sql/rows.ts';

/** The oldest major version that the migrations and statements are tested with. */
const majorMin = 15;

/** @throws ConfigError with a single-line message when the server is too old for this release */
export async function mustBeSupported(db: QueryExecutorProvider): Promise<void> {
  const version = await serverVersion(db);
  if (Number.parseInt(version, 10) >= majorMin) return;
  throw new ConfigError(
    `PostgreSQL ${version} is too old: use ${majorMin} or later, or set DATABASE_URL to such a server`,
  );
}

/** For example `15.18 (Debian 15.18-0+deb12u1)`. */
export async function serverVersion(db: QueryExecutorProvider): Promise<string> {
  const { rows } = await rowsOf({ version: text })`select current_setting('server_version') as version`.execute(db);
  return rows[0]?.version ?? '';
}
