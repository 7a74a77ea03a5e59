import { type Kysely, sql } from 'kysely';
import { alreadyExists, badRequest, permissionDenied } from '../../core/errors.ts';
import { randomBase62 } from '../../core/ids.ts';
import { Secret } from '../../core/secret.ts';
import type { AuthReply } from '../../path/row.ts';
import type { Barrier } from '../../store/store.ts';
import type { Database } from '../../store/tables.ts';
import { findTokens, hashToken } from './store.ts';

/** Where a token is written: the store, or a transaction of it. */
export interface TokenTarget {
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
}

/** What a token is made of. Durations are in seconds; 0: none. */
export interface NewToken {
  readonly id?: string | undefined;
  readonly parent: Buffer | null;
  readonly policies: readonly string[];
  readonly meta: Readonly<Record<string, string>> | null;
  readonly displayName: string;
  readonly path: string;
  readonly ttl: number;
  readonly explicitMaxTtl: number;
  readonly period: number;
  readonly numUses: number;
  readonly renewable: boolean;
  readonly orphan: boolean;
  readonly entityId?: string | undefined;
  /** Name of the token role; empty: none. */
  readonly role?: string | undefined;
  /** CIDR blocks that it may be used from; empty: everywhere. */
  readonly boundCidrs?: readonly string[] | undefined;
}

/**
 * The only code that creates service tokens.
 *
 * @throws AppError `already-exists` when a token of this id exists, `bad-request` when the parent may have no children,
 *   `permission-denied` when it is not valid any more
 */
export async function mintToken(target: TokenTarget, now: Date, token: NewToken): Promise<AuthReply> {
  const id = token.id ?? `hvs.${randomBase62(24)}`;
  const accessor = randomBase62(24);
  if (!(await insert(target, hashToken(target.barrier, new Secret(id)), accessor, now, token))) {
    throw await refusal(target, token);
  }
  return {
    client_token: id,
    accessor,
    policies: token.policies,
    token_policies: token.policies,
    metadata: token.meta,
    lease_duration: token.ttl,
    renewable: token.renewable,
    entity_id: token.entityId ?? '',
    token_type: 'service',
    orphan: token.orphan,
    num_uses: token.numUses,
  };
}

/**
 * The parent is held while its child is written: who deletes the parent waits, and finds the child. False: a token of this
 * hash is there, or the parent is not one that may have children.
 */
async function insert(
  { db }: TokenTarget,
  hash: Buffer,
  accessor: string,
  now: Date,
  token: NewToken,
): Promise<boolean> {
  const expires = token.ttl === 0 ? null : new Date(now.getTime() + token.ttl * 1_000);
  const { rows } = await sql`
    with holder as materialized (
      select hash from tokens
       where hash = ${token.parent}::bytea and revoked_at is null and num_uses = 0
         and (expire_at is null or expire_at > now())
         for key share
    )
    insert into tokens (hash, accessor, parent, policies, meta, display_name, path, type, num_uses, period, explicit_max_ttl,
                        creation_ttl, creation_time, expire_at, last_renewal_at, renewable, orphan, entity_id, role, bound_cidrs)
    select ${hash}::bytea, ${accessor}, ${token.parent}::bytea, ${[...token.policies]}::text[],
           ${JSON.stringify(token.meta)}::jsonb, ${token.displayName}, ${token.path}, 'service', ${token.numUses}::int,
           ${token.period}::int, ${token.explicitMaxTtl}::int, ${token.ttl}::int, ${now}::timestamptz,
           ${expires}::timestamptz, null, ${token.renewable}::boolean, ${token.orphan}::boolean, ${token.entityId ?? ''},
           ${token.role ?? ''}, ${[...(token.boundCidrs ?? [])]}::text[]
     where ${token.parent}::bytea is null or exists (select 1 from holder)
        on conflict (hash) do nothing returning 1`.execute(db);
  return rows.length > 0;
}

async function refusal(target: TokenTarget, { parent }: NewToken): Promise<Error> {
  const [found] = parent === null ? [] : await findTokens(target, [parent], -1);
  if (parent !== null && found === undefined) return permissionDenied();
  if (found !== undefined && found.num_uses !== 0) return noChildren();
  return alreadyExists('cannot create a token with a duplicate ID');
}

const noChildren = () => badRequest('restricted use token cannot generate child tokens');

/** The token that may do everything and does not expire. `id`: a fixed one, for development. */
export async function mintRootToken(target: TokenTarget, now: Date, id?: string): Promise<string> {
  const reply = await mintToken(target, now, {
    id,
    parent: null,
    policies: ['root'],
    meta: null,
    displayName: 'root',
    path: 'auth/token/root',
    ttl: 0,
    explicitMaxTtl: 0,
    period: 0,
    numUses: 0,
    renewable: false,
    orphan: true,
  });
  return reply.client_token;
}
