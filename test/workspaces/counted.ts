import { PoolConnection } from '../../lib/store/postgres/connection.ts';

/** What `work` answers, and how many statements that name a table of the workspace service this process has sent meanwhile. */
export async function counted<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly statements: number }> {
  const { executeQuery } = PoolConnection.prototype;
  let statements = 0;
  PoolConnection.prototype.executeQuery = function (query) {
    if (/\bws_\w+/.test(query.sql)) statements += 1;
    return executeQuery.call(this, query) as never;
  };
  try {
    return { answer: await work(), statements };
  } finally {
    PoolConnection.prototype.executeQuery = executeQuery;
  }
}
