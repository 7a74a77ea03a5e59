import type pg from 'pg';

/** A process that froze in a transaction must not keep its locks. */
const idleInTransactionMs = 60_000;

/**
 * What is asked for often lies in memory, where an index costs no more than reading on; and no statement runs for so long that
 * compiling it would pay. `options` in the URL take the place of these.
 */
const planning = '-c random_page_cost=1.1 -c jit=off';

export const applicationName = 'keyferry';

/** What a connection of the pool asks of the server when it opens: the limits of the session, and how it plans. */
export const startUpParameters = (statementTimeoutMs: number) =>
  ({
    application_name: applicationName,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    options: planning,
  }) satisfies pg.ClientConfig;
