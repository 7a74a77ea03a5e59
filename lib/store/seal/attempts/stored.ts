import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { uuid } from '../../../core/ids.ts';
import type { Barrier } from '../../store.ts';
import type { Database, KeyAttemptsTable } from '../../tables.ts';

/**
 * Attempts that several people make together, with one key share each: all processes see the same one, and it outlives their
 * restarts. What it holds is sealed, so an unsealed process is needed to go on with it.
 */
export interface StoredAttempts<State> {
  /** The attempt that is going on; those that were left lying are none. */
  find(db: Kysely<Database>): Promise<Attempt<State> | undefined>;
  /** The same for who changes it: others wait for the end of the transaction. */
  hold(tx: Transaction<Database>): Promise<Attempt<State> | undefined>;
  /** Undefined: one is going on already. */
  begin(tx: Transaction<Database>, state: State): Promise<Attempt<State> | undefined>;
  save(tx: Transaction<Database>, attempt: Attempt<State>): Promise<void>;
  end(db: Kysely<Database>): Promise<void>;
}

export interface Attempt<State> {
  /** Names it, so that everybody gives his share to the one that he means. */
  readonly nonce: string;
  readonly state: State;
}

/** So long after its start an attempt is forgotten, with the shares that were given. */
const attemptSecondsMax = 86_400;

interface Parts<State> {
  readonly kind: KeyAttemptsTable['kind'];
  readonly form: z.ZodType<State>;
  readonly barrier: Barrier;
}

export function storedAttempts<State>({ kind, form, barrier }: Parts<State>): StoredAttempts<State> {
  const aad = (nonce: string) => `key_attempts/${kind}/${nonce}`;
  const oldest = sql<Date>`now() - make_interval(secs => ${attemptSecondsMax})`;
  const current = (db: Kysely<Database>) =>
    db.selectFrom('key_attempts').selectAll().where('kind', '=', kind).where('started_at', '>', oldest);
  const opened = (row: { nonce: string; state: Buffer } | undefined): Attempt<State> | undefined => {
    if (row === undefined) return undefined;
    const text = barrier.open(row.state, aad(row.nonce));
    const state = form.parse(JSON.parse(text.toString()));
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
        .values({ kind, nonce: attempt.nonce, started_at: sql`now()`, state: sealed(attempt) })
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

/** A key or a share as text of a state. */
export const keyText = z.base64();
