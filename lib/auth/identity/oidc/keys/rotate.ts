import { sql, type Transaction } from 'kysely';
import { badRequest } from '#core/errors.ts';
import { int, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { bounds, quoted } from '../fields.ts';
import type { Key } from './read.ts';
import { algorithms, insertVersion, type KeyAt, newVersion } from './version.ts';

/**
 * Rotates a key, whose row the caller has locked: the next version signs from now on, the one that signed so far is published for
 * `verificationSeconds` more without its private key, and a new next version is published a whole period before its use.
 *
 * @throws AppError `bad-request` when too many versions are still published
 */
export async function rotate(
  tx: Transaction<Database>,
  store: Pick<Store, 'barrier'>,
  at: KeyAt,
  { algorithm, rotation_period }: Pick<Key, 'algorithm' | 'rotation_period'>,
  verificationSeconds: number,
): Promise<void> {
  await retireSigning(tx, at, verificationSeconds);
  const { namespaceId, name } = at;
  await sql`
    update oidc_key_versions set state = 'signing'
     where namespace_id = ${namespaceId} and key = ${name} and state = 'next'`.execute(tx);
  await insertVersion(tx, store, at, await newVersion(algorithm), 'next');
  await sql`
    update oidc_keys set next_rotation_at = now() + make_interval(secs => ${rotation_period})
     where namespace_id = ${namespaceId} and name = ${name}`.execute(tx);
}

/** Ends the use of the signing version. @throws AppError `bad-request` when too many versions are still published */
export async function retireSigning(
  tx: Transaction<Database>,
  { namespaceId, name }: KeyAt,
  verificationSeconds: number,
): Promise<void> {
  await mustBeFew(tx, { namespaceId, name });
  await sql`
    update oidc_key_versions
       set state = 'retired', private_key = null, expire_at = now() + make_interval(secs => ${verificationSeconds})
     where namespace_id = ${namespaceId} and key = ${name} and state = 'signing'`.execute(tx);
}

async function mustBeFew(tx: Transaction<Database>, { namespaceId, name }: KeyAt): Promise<void> {
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from oidc_key_versions
     where namespace_id = ${namespaceId} and key = ${name} and expire_at > now()`.execute(tx);
  if ((rows[0]?.count ?? 0) < bounds.retiredVersions) return;
  throw badRequest(
    `the key ${quoted(name)} has ${bounds.retiredVersions} retired public keys: try again when one has expired`,
  );
}

const dueColumns = {
  namespace_id: text,
  name: text,
  algorithm: oneOf(...algorithms),
  rotation_period: int,
  verification_ttl: int,
};

/**
 * Rotates keys that are due, those that have waited longest first, until `limit` keys are rotated or `signal` aborts. Several processes
 * may do this at once: each key is rotated by one of them. Returns the number of rotated keys.
 */
export async function rotateDue(store: Store, limit: number, signal: AbortSignal): Promise<number> {
  let rotated = 0;
  while (rotated < limit && !signal.aborted && (await rotateOne(store))) rotated += 1;
  return rotated;
}

const rotateOne = (store: Store): Promise<boolean> =>
  store.transaction(async (tx) => {
    const { rows } = await rowsOf(dueColumns)`
      select namespace_id, name, algorithm, rotation_period, verification_ttl from oidc_keys k
       where next_rotation_at <= now()
         and (namespace_id = 'root'
              or exists (select 1 from namespaces n where n.id = k.namespace_id and n.deleted_at is null))
         and (select count(*) from oidc_key_versions v
               where v.namespace_id = k.namespace_id and v.key = k.name and v.expire_at > now()) < ${bounds.retiredVersions}
       order by next_rotation_at limit 1 for update skip locked`.execute(tx);
    const [due] = rows;
    if (due === undefined) return false;
    await rotate(tx, store, { namespaceId: due.namespace_id, name: due.name }, due, due.verification_ttl);
    return true;
  });

/** Deletes at most `limit` retired versions whose time is over. Returns their number. */
export async function dropRetired({ db }: Pick<Store, 'db'>, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from oidc_key_versions where id in (
      select id from oidc_key_versions where expire_at <= now() order by expire_at limit ${limit} for update skip locked)
    returning 1`.execute(db);
  return rows.length;
}
