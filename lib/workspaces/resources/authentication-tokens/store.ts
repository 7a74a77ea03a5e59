import { type QueryExecutorProvider, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Secret } from '#core/secret.ts';
import { unprocessable } from '#path/jsonapi/error.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { hashOf, newTokenText } from './text.ts';
import { type TokenPurpose, type TokenRow, tokenResource, tokenRowColumns } from './view.ts';

/** The owner of a token. */
export type TokenOwner =
  | { readonly column: 'user_id'; readonly id: string }
  | { readonly column: 'team_id'; readonly id: string }
  | { readonly column: 'organization_id'; readonly id: string; readonly purpose?: TokenPurpose };

/** Attributes of a new token. */
export interface NewToken {
  /** Null for the one token of its owner without a description. */
  readonly description: string | null;
  /** Null means two years from now. */
  readonly expireAt: Date | null;
  readonly caller: ApiCaller;
}

/** Tokens of one owner. */
const tokensMax = 200;

const columns = sql`t.id, t.user_id, t.team_id, t.organization_id, t.description, t.created_by, t.created_at, t.last_used_at,
  t.expire_at, (select o.name from ws_organizations o where o.id = coalesce(t.organization_id, t.created_by)) as organization_name`;

export const ofOwner = ({ column, id }: TokenOwner): RawBuilder<unknown> => sql`t.${sql.ref(column)} = ${id}`;

/** The one token of an owner, or of an owner for one purpose, that is replaced when another is created. */
export const isSole = (owner: TokenOwner): RawBuilder<unknown> =>
  sql`t.description is null and t.purpose is not distinct from ${purposeOf(owner)}`;

const purposeOf = (owner: TokenOwner): TokenPurpose | null =>
  owner.column === 'organization_id' ? (owner.purpose ?? null) : null;

/** Default lifetime of a token. */
const lifetime = sql`interval '2 years'`;

export const oldestFirst = sql`t.created_at, t.id`;

/** Tokens that meet a condition on `t`, oldest first unless another order is given. */
export async function tokensWhere(
  db: QueryExecutorProvider,
  condition: RawBuilder<unknown>,
  { size, offset } = { size: tokensMax, offset: 0 },
  order: RawBuilder<unknown> = oldestFirst,
): Promise<readonly TokenRow[]> {
  const { rows } = await rowsOf(tokenRowColumns)`
    select ${columns} from ws_tokens t where ${condition} order by ${order} limit ${size} offset ${offset}`.execute(db);
  return rows;
}

/** The reply that lists the tokens of an owner. */
export async function listTokens(db: QueryExecutorProvider, owner: TokenOwner): Promise<DocumentReply> {
  return { data: (await tokensWhere(db, ofOwner(owner))).map((row) => tokenResource(row)) };
}

/** Stores a new token and returns its row and its text, which cannot be read later. The caller must have locked the owner. */
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

/** Deletes at most `countMax` expired tokens. */
export async function dropExpiredTokens({ db }: Pick<Store, 'db'>, countMax: number): Promise<void> {
  await sql`
    delete from ws_tokens
     where id in (select id from ws_tokens where expire_at <= now() order by expire_at limit ${countMax} for update skip locked)`.execute(
    db,
  );
}
