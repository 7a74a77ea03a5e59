import type { Kysely } from 'kysely';
import { alreadyExists } from '../../core/errors.ts';
import { randomBase62 } from '../../core/ids.ts';
import { Secret } from '../../core/secret.ts';
import type { AuthReply } from '../../path/row.ts';
import type { Barrier } from '../../store/store.ts';
import type { Database } from '../../store/tables.ts';
import { hashToken } from './store.ts';

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
}

/**
 * The only code that creates tokens.
 * @throws AppError `already-exists` when a token of this id exists
 */
export async function mintToken(target: TokenTarget, now: Date, token: NewToken): Promise<AuthReply> {
  const id = token.id ?? `hvs.${randomBase62(24)}`;
  const accessor = randomBase62(24);
  const made = await target.db
    .insertInto('tokens')
    .values({
      hash: hashToken(target.barrier, new Secret(id)),
      accessor,
      parent: token.parent,
      policies: [...token.policies],
      meta: JSON.stringify(token.meta),
      display_name: token.displayName,
      path: token.path,
      type: 'service',
      num_uses: token.numUses,
      period: token.period,
      explicit_max_ttl: token.explicitMaxTtl,
      creation_ttl: token.ttl,
      creation_time: now,
      expire_at: token.ttl === 0 ? null : new Date(now.getTime() + token.ttl * 1_000),
      last_renewal_at: null,
      renewable: token.renewable,
      orphan: token.orphan,
      entity_id: '',
      role: '',
      bound_cidrs: [],
    })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('accessor')
    .executeTakeFirst();
  if (made === undefined) throw alreadyExists('cannot create a token with a duplicate ID');
  return {
    client_token: id,
    accessor,
    policies: token.policies,
    token_policies: token.policies,
    metadata: token.meta,
    lease_duration: token.ttl,
    renewable: token.renewable,
    entity_id: '',
    token_type: 'service',
    orphan: token.orphan,
    num_uses: token.numUses,
  };
}

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
