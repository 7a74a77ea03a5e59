import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { permissionDenied } from '../../../core/errors.ts';
import { isUuid, uuid } from '../../../core/ids.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import type { Constraint } from './satisfy.ts';

/** A login that waits for its codes. */
export interface PendingLogin {
  readonly mountId: string;
  /** The user or role at the mount. */
  readonly principal: string;
  readonly entityId: string;
  readonly constraints: readonly Constraint[];
  /** What the token is made of. */
  readonly text: string;
}

const pendingSeconds = 300;
/** Of one entity; the oldest ones go for new ones. */
const pendingMax = 100;

/**
 * Keeps a login, sealed. Answers its id, of which the store has a keyed hash. It goes with its mount, its user or role, and when its
 * entity is disabled or deleted (migration 0027): all of them remove it in the statement that changes them.
 *
 * @throws AppError `permission-denied` when the mount or the entity has gone meanwhile
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

/** Undefined: there is none, it is over, or its entity is disabled. */
export async function findPending({ db, barrier }: Store, id: string): Promise<FoundLogin | undefined> {
  if (!isUuid(id)) return undefined;
  const hash = hashOf({ barrier }, id);
  const row = await read(db, hash);
  if (row === undefined) return undefined;
  return { entityId: row.entity_id, ...stored.parse(JSON.parse(barrier.open(row.login, aadOf(hash)).toString())) };
}

async function read(db: Kysely<Database>, hash: Buffer) {
  const { rows } = await sql<{ readonly entity_id: string; readonly login: Buffer }>`
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
 * One of any number of callers takes it, and its mount and entity stay as they are until the caller's transaction ends. False: it
 * was taken, or is over.
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
