import { sql } from 'kysely';
import { countTokens } from '../../auth/token/count.ts';
import type { Config } from '../../core/config.ts';
import { withLevels } from '../../core/log/levels.ts';
import type { Log } from '../../core/log.ts';
import type { DiagnosisParts } from '../../engines/sys/diagnosis/index.ts';
import type { OpenStore } from '../../store/open.ts';

/** A log whose levels can be changed; one that has none lets everything through at first. */
export const levelled = (log: Log): Log & Required<Pick<Log, 'levels'>> => {
  const { levels } = log;
  if (levels !== undefined) return { ...log, levels };
  return levelled(withLevels(log, 'debug'));
};

export function diagnosisParts(store: OpenStore, config: Config): Omit<DiagnosisParts, 'levels' | 'requests'> {
  const scheme = config.KEYFERRY_TLS_CERT_FILE === undefined ? 'http' : 'https';
  return {
    address: `${scheme}://${config.KEYFERRY_HOST}:${config.PORT}`,
    async installedAt() {
      const { rows } = await sql<{ at: Date }>`select min(applied_at) as at from schema_migrations`.execute(store.db);
      return rows[0]?.at ?? new Date(0);
    },
    countTokens: () => store.readOlder((db) => countTokens({ db })),
    async countEntities() {
      const { rows } = await store.readOlder((db) =>
        sql<{ count: number }>`select count(*)::int as count from entities`.execute(db),
      );
      return rows[0]?.count ?? 0;
    },
  };
}
