import type pg from 'pg';

/** A process that froze in a transaction must not keep its locks. */
export const idleInTransactionMs = 60_000;

/**
 * What is asked for often lies in memory, where an index costs no more than reading on; and no statement runs for so long that
 * compiling it would pay.
 */
export const planningParameters = { random_page_cost: 1.1, jit: 'off' } as const;

export const applicationName = 'keyferry';

/** What a connection asks of the server when it opens: the limits of the session, and how it plans. `options` in the URL take the place of ours. */
export const startUpParameters = (statementTimeoutMs: number) =>
  ({
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    options: Object.entries(planningParameters)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  }) satisfies pg.ClientConfig;
