import { vi } from 'vitest';
import { PoolConnection } from '../../../lib/store/postgres/connection.ts';

/** What `work` answers, and how many statements about the workspace service this process has sent meanwhile. */
export async function counted<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly statements: number }> {
  const spy = vi.spyOn(PoolConnection.prototype, 'executeQuery');
  try {
    const answer = await work();
    return { answer, statements: spy.mock.calls.filter(([query]) => query.sql.includes('ws_')).length };
  } finally {
    spy.mockRestore();
  }
}
