import { PoolConnection } from '#store/postgres/pool/connection.ts';

/**
 * The result of `work`, and the number of statements that this process sent meanwhile and that name such a table, by default one of the
 * workspace service. One call at a time.
 */
export async function counted<T>(
  work: () => Promise<T>,
  tables = /\bws_\w+/,
): Promise<{ readonly answer: T; readonly statements: number }> {
  const { executeQuery } = PoolConnection.prototype;
  let statements = 0;
  PoolConnection.prototype.executeQuery = function (query) {
    if (tables.test(query.sql)) statements += 1;
    return executeQuery.call(this, query) as never;
  };
  try {
    return { answer: await work(), statements };
  } finally {
    PoolConnection.prototype.executeQuery = executeQuery;
  }
}
