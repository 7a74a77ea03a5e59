import { type QueryExecutorProvider, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Secret } from '../../../core/secret.ts';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { hashOf } from './find.ts';
import { newTokenText } from './mint.ts';
import type { TokenPurpose, TokenRow } from './view.ts';

/** Whose token it is. */
export type TokenOwner =
  | { readonly column: 'user_id'; readonly id: string }
  | { readonly column: 'team_id'; readonly id: string }
  | { readonly column: 'organization_id'; readonly id: string; readonly purpose?: TokenPurpose };

/** What a new token is like. */
export interface NewToken {
  /** Null: the one token of its owner that has no description, where there is such a one. */
  readonly description: string | null;
  /** Null: two years from now. */
  readonly expireAt: Date | null;
  readonly caller: ApiCaller;
}

/** Of one owner. */
const tokensMax = 200;

const columns = sql`t.id, t.user_id, t.team_id, t.organization_id, t.description, t.created_by, t.created_at, t.last_used_at,
  t.expire_at, (select o.name from ws_organizations o where o.id = coalesce(t.organization_id, t.created_by)) as organization_name`;

export const ofOwner = ({ column, id }: TokenOwner): RawBuilder<unknown> => sql`t.${sql.ref(column)} = ${id}`;

/** The one of its owner, or of its owner for one purpose, that is made anew each time. */
export const isSole = (owner: TokenOwner): RawBuilder<unknown> =>
  sql`t.description is null and t.purpose is not distinct from ${purposeOf(owner)}`;

const purposeOf = (owner: TokenOwner): TokenPurpose | null =>
  owner.column === 'organization_id' ? (owner.purpose ?? null) : null;

/** Of a token for which none is given. */
const lifetime = sql`interval '2 years'`;

export const oldestFirst = sql`t.created_at, t.id`;

/** Tokens by a condition on `t`, the oldest first unless another order is given. */
export async function tokensWhere(
  db: QueryExecutorProvider,
  condition: RawBuilder<unknown>,
  { size, offset } = { size: tokensMax, offset: 0 },
  order: RawBuilder<unknown> = oldestFirst,
): Promise<readonly TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select ${columns} from ws_tokens t where ${condition} order by ${order} limit ${size} offset ${offset}`.execute(db);
  return rows;
}

/** Stores a new token; the caller has locked its owner. Answers its row and its text, which nobody can find out later. */
export async function addToken(
  { barrier }: Pick<Store, 'barrier'>,
  tx: Transaction<Database>,
  owner: TokenOwner,
  { description, expireAt, caller }: NewToken,
): Promise<{ readonly row: TokenRow; readonly text: Secret }> {
  const text = newTokenText();
  const id = newId('at');
  await sql`
    insert into ws_tokens (id, hash, ${sql.ref(owner.column)}, description, created_by, expire_at, purpose)
    values (${id}, ${hashOf({ barrier }, text)}, ${owner.id}, ${description}, ${caller.id},
            coalesce(${expireAt}, now() + ${lifetime}), ${purposeOf(owner)})`.execute(tx);
  const { rows } = await sql`
    select 1 from ws_tokens t where ${ofOwner(owner)} offset ${tokensMax} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`There may be at most ${tokensMax} tokens.`);
  const [row] = await tokensWhere(tx, sql`t.id = ${id}`);
  if (row === undefined) throw new Error('a token was not stored');
  return { row, text };
}

/** Removes tokens whose time is over, at most so many. */
export async function dropExpiredTokens({ db }: Pick<Store, 'db'>, countMax: number): Promise<void> {
  await sql`
    delete from ws_tokens
     where id in (select id from ws_tokens where expire_at <= now() order by expire_at limit ${countMax} for update skip locked)`.execute(
    db,
  );
}
