import type pg from 'pg';

/** A process that is frozen in a transaction must not keep its locks. */
export const idleInTransactionMs = 60_000;

/**
 * Frequently used data is in memory, where random access costs little more than sequential access, and no statement runs long
 * enough for JIT compilation to pay off.
 */
export const planningParameters = { random_page_cost: 1.1, jit: 'off' } as const;

export const applicationName = 'keyferry';

/** Start-up parameters of a connection: session limits and planner settings. `options` in the URL replace ours. */
export const startUpParameters = (statementTimeoutMs: number) =>
  ({
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    options: Object.entries(planningParameters)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  }) satisfies pg.ClientConfig;
