import { countTokens } from '#auth/token/count.ts';
import type { Config } from '#core/config.ts';
import { withLevels } from '#core/log/levels.ts';
import type { Log } from '#core/log/log.ts';
import type { OpenStore } from '#store/open.ts';
import { int, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { DiagnosisParts } from '#system/diagnosis/index.ts';

export type LevelledLog = Log & Required<Pick<Log, 'levels'>>;

/** A log whose levels can be changed. A log without levels starts by passing all messages. */
export const levelled = (log: Log): LevelledLog => {
  const { levels } = log;
  if (levels !== undefined) return { ...log, levels };
  return levelled(withLevels(log, 'debug'));
};

export function diagnosisParts(store: OpenStore, config: Config): Omit<DiagnosisParts, 'levels' | 'requests'> {
  const scheme = config.KEYFERRY_TLS_CERT_FILE === undefined ? 'http' : 'https';
  return {
    address: `${scheme}://${config.KEYFERRY_HOST}:${config.PORT}`,
    async installedAt() {
      const { rows } = await rowsOf({ at: timestamptz })`select min(applied_at) as at from schema_migrations`.execute(
        store.db,
      );
      return rows[0]?.at ?? new Date(0);
    },
    countTokens: () => store.readOlder((db) => countTokens({ db })),
    async countEntities() {
      const { rows } = await store.readOlder((db) =>
        rowsOf({ count: int })`select count(*)::int as count from entities`.execute(db),
      );
      return rows[0]?.count ?? 0;
    },
  };
}
