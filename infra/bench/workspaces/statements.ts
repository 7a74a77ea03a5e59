import { PoolConnection } from '#store/postgres/pool/connection.ts';

/**
 * The result of `work`, and the number of statements with a table of the workspace service that this process sent meanwhile. One
 * call at a time.
 */
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
