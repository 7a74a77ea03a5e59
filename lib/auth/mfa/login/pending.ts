import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { permissionDenied } from '#core/errors.ts';
import { isUuid, uuid } from '#core/ids.ts';
import { bytea, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { Constraint } from './satisfy.ts';

/** A login that waits for its codes. */
export interface PendingLogin {
  readonly mountId: string;
  /** The user or role at the mount. */
  readonly principal: string;
  readonly entityId: string;
  readonly constraints: readonly Constraint[];
  /** What the token will be made of. */
  readonly text: string;
}

const pendingSeconds = 300;
/** Bound of one entity; a new login replaces the oldest. */
const pendingMax = 100;

/**
 * Stores a login sealed, and returns its id, which the store knows as a keyed hash only. Triggers of migration 0027 delete the
 * login with its mount, with its user or role, and when its entity is disabled or deleted.
 *
 * @throws AppError `permission-denied` when the mount or the entity was deleted meanwhile
 */
export async function keepPending({ db, barrier }: Store, login: PendingLogin): Promise<string> {
  const { mountId, principal, entityId, constraints, text } = login;
  const id = uuid();
  const hash = hashOf({ barrier }, id);
  const sealed = barrier.seal(JSON.stringify({ constraints, text }), aadOf(hash));
  const { rows } = await sql`
    with excess as (
      delete from mfa_pending_logins where id_hash in (
        select id_hash from mfa_pending_logins where entity_id = ${entityId}
         order by expire_at desc offset ${pendingMax - 1}))
    insert into mfa_pending_logins (id_hash, mount_id, principal, entity_id, login, expire_at)
    select ${hash}, m.id, ${principal}, e.id, ${sealed}, now() + make_interval(secs => ${pendingSeconds})
      from mounts m, entities e
     where m.id = ${mountId}::uuid and m.removed_at is null and e.id = ${entityId} and not e.disabled for key share of m for share of e
    returning 1`.execute(db);
  if (rows.length === 0) throw permissionDenied();
  return id;
}

export type FoundLogin = Omit<PendingLogin, 'mountId' | 'principal'>;

/** Undefined when the login does not exist or has expired, or when its entity is disabled. */
export async function findPending({ db, barrier }: Store, id: string): Promise<FoundLogin | undefined> {
  if (!isUuid(id)) return undefined;
  const hash = hashOf({ barrier }, id);
  const row = await read(db, hash);
  if (row === undefined) return undefined;
  return { entityId: row.entity_id, ...stored.parse(JSON.parse(barrier.open(row.login, aadOf(hash)).toString())) };
}

async function read(db: Kysely<Database>, hash: Buffer) {
  const { rows } = await rowsOf({ entity_id: text, login: bytea })`
    select entity_id, login from mfa_pending_logins
     where id_hash = ${hash} and expire_at > now()
       and exists (select 1 from entities e where e.id = entity_id and not e.disabled)`.execute(db);
  return rows[0];
}

const stored = z.object({
  constraints: z.array(
    z.object({ name: z.string(), methods: z.array(z.object({ id: z.string(), name: z.string() })) }),
  ),
  text: z.string(),
});

/**
 * Takes a pending login, which one of any number of callers can. Its mount and entity cannot change until the caller's transaction
 * ends. False when it was taken before or has expired.
 */
export async function takePending(
  { barrier }: Pick<Store, 'barrier'>,
  tx: Transaction<Database>,
  id: string,
): Promise<boolean> {
  const { rows } = await sql`
    with pending as (
      select mount_id, entity_id from mfa_pending_logins where id_hash = ${hashOf({ barrier }, id)} and expire_at > now()
    ), mount as materialized (
      select from mounts where id = (select mount_id from pending) and removed_at is null for key share
    ), entity as materialized (
      select from entities where id = (select entity_id from pending) and not disabled for share
    )
    delete from mfa_pending_logins
     where id_hash = ${hashOf({ barrier }, id)} and (select count(*) from mount) > 0 and (select count(*) from entity) > 0
    returning 1`.execute(tx);
  return rows.length > 0;
}

const hashOf = ({ barrier }: Pick<Store, 'barrier'>, id: string): Buffer =>
  barrier.mac('mfa-pending-login', id.toLowerCase());
const aadOf = (hash: Buffer): string => `mfa_pending_logins/${hash.toString('hex')}`;
