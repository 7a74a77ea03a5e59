import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { openSweeper } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { PoolConnection } from '#store/postgres/pool/connection.ts';
import { serveParent } from './parent.ts';

const shownCharacters = 80;

/** The sweep with its usual pause. Each question is one round: the answer has its longest statement, and whether all batches have marked. */
await serveParent(z.object({}), async () => {
  const config = readConfig();
  const sweeper = await openSweeper({ config, log: openLog(config) });
  const database = new pg.Pool({ connectionString: config.DATABASE_URL, max: 1 });
  let longest = { statementMs: 0, statement: '' };
  const { executeQuery } = PoolConnection.prototype;
  PoolConnection.prototype.executeQuery = async function (query) {
    const began = performance.now();
    try {
      return (await executeQuery.call(this, query)) as never;
    } finally {
      const statementMs = performance.now() - began;
      const statement = query.sql.replace(/\s+/g, ' ').trim().slice(0, shownCharacters);
      if (statementMs > longest.statementMs) longest = { statementMs, statement };
    }
  };
  return {
    ready: {},
    async answer() {
      longest = { statementMs: 0, statement: '' };
      await sweeper.run();
      const { rowCount } = await database.query(`select from sync_batches where state = 'running'`);
      const isDone = rowCount === 0;
      if (!isDone) await delay(config.KEYFERRY_SWEEP_MS);
      return { ...longest, isDone };
    },
    async close() {
      await database.end();
      await sweeper.close();
    },
  };
});
