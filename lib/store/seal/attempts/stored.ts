import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import { uuid } from '#core/ids.ts';
import type { RowOf } from '../../sql/columns.ts';
import { timestamptz } from '../../sql/kinds.ts';
import { expressionOf } from '../../sql/rows.ts';
import type { Barrier } from '../../store.ts';
import type { keyAttemptsTable } from '../../tables/installation.ts';
import type { Database } from '../../tables.ts';

/**
 * Attempts that several key holders make together. They are in the database, so that all processes see the same attempt and it
 * survives restarts. Their state is sealed, so only an unsealed process can continue an attempt.
 */
export interface StoredAttempts<State> {
  /** The attempt in progress; expired attempts are ignored. */
  find(db: Kysely<Database>): Promise<Attempt<State> | undefined>;
  /** Like `find`, but locks the attempt until the transaction ends. */
  hold(tx: Transaction<Database>): Promise<Attempt<State> | undefined>;
  /** Undefined when an attempt is already in progress. */
  begin(tx: Transaction<Database>, state: State): Promise<Attempt<State> | undefined>;
  save(tx: Transaction<Database>, attempt: Attempt<State>): Promise<void>;
  end(db: Kysely<Database>): Promise<void>;
}

export interface Attempt<State> {
  /** Identifies the attempt, so that a share is never given to another one by mistake. */
  readonly nonce: string;
  readonly state: State;
}

/** The operation that the shares authorise. */
export type AttemptKind = RowOf<typeof keyAttemptsTable>['kind'];

/** After this time an attempt expires together with the shares given so far. */
const attemptSecondsMax = 86_400;

interface Parts<State> {
  readonly kind: AttemptKind;
  readonly schema: z.ZodType<State>;
  readonly barrier: Barrier;
}

export function storedAttempts<State>({ kind, schema, barrier }: Parts<State>): StoredAttempts<State> {
  const aad = (nonce: string) => `key_attempts/${kind}/${nonce}`;
  const oldest = expressionOf(timestamptz)`now() - make_interval(secs => ${attemptSecondsMax})`;
  const current = (db: Kysely<Database>) =>
    db.selectFrom('key_attempts').selectAll().where('kind', '=', kind).where('started_at', '>', oldest);
  const opened = (row: { nonce: string; state: Buffer } | undefined): Attempt<State> | undefined => {
    if (row === undefined) return undefined;
    const text = barrier.open(row.state, aad(row.nonce));
    const state = schema.parse(JSON.parse(text.toString()));
    text.fill(0);
    return { nonce: row.nonce, state };
  };
  const sealed = ({ nonce, state }: Attempt<State>) => barrier.seal(JSON.stringify(state), aad(nonce));
  return {
    find: async (db) => opened(await current(db).executeTakeFirst()),
    hold: async (tx) => opened(await current(tx).forUpdate().executeTakeFirst()),
    async begin(tx, state) {
      const attempt = { nonce: uuid(), state };
      await tx.deleteFrom('key_attempts').where('kind', '=', kind).where('started_at', '<=', oldest).execute();
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('key_attempts')
        .values({ kind, nonce: attempt.nonce, started_at: expressionOf(timestamptz)`now()`, state: sealed(attempt) })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n ? attempt : undefined;
    },
    async save(tx, attempt) {
      const { nonce } = attempt;
      await tx
        .updateTable('key_attempts')
        .set({ nonce, state: sealed(attempt) })
        .where('kind', '=', kind)
        .execute();
    },
    async end(db) {
      await db.deleteFrom('key_attempts').where('kind', '=', kind).execute();
    },
  };
}

/** A key or a share as stored in a state. */
export const keyText = z.base64();
