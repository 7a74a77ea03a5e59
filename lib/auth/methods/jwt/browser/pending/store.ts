import { sql } from 'kysely';
import { badRequest } from '#core/errors.ts';
import { randomBase62 } from '#core/ids.ts';
import { bytea, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type PendingLogin, pendingLogin } from './login.ts';

/** Bounds of one mount and of all mounts of a namespace. A new login replaces the one that would expire first. */
const perMountMax = 2_500;
const perNamespaceMax = 5_000;

/** Characters of a state: more bits than an attacker can guess in the lifetime of a login. */
const stateCharacters = 43;

/** Where a login is kept: the mount, and the state that the provider sends back. */
export interface LoginKey {
  readonly mountId: string;
  readonly state: string;
}

export interface NewLogin {
  readonly mountId: string;
  readonly login: PendingLogin;
  readonly stage: 'open' | 'device';
  readonly seconds: number;
}

type Parts = Pick<Store, 'db' | 'barrier'>;

/** Stores a login and returns its state. @throws AppError `bad-request` when the mount was disabled meanwhile */
export async function keepLogin({ db, barrier }: Parts, { mountId, login, stage, seconds }: NewLogin): Promise<string> {
  const state = `st_${randomBase62(stateCharacters)}`;
  const hash = hashOf({ barrier }, { mountId, state });
  const { rows } = await sql`
    with mount as materialized (
      select id, namespace_id from mounts where id = ${mountId}::uuid and removed_at is null for key share
    ), excess as (
      (select state_hash from browser_logins where mount_id = (select id from mount)
        order by expire_at desc offset ${perMountMax - 1})
      union
      (select state_hash from browser_logins where namespace_id = (select namespace_id from mount)
        order by expire_at desc offset ${perNamespaceMax - 1})
    ), replaced as (
      delete from browser_logins where state_hash in (
        select state_hash from browser_logins where state_hash in (select state_hash from excess) for update skip locked)
    )
    insert into browser_logins (state_hash, mount_id, namespace_id, stage, polled, login, next_poll_at, expire_at)
    select ${hash}, m.id, m.namespace_id, ${stage}, ${login.polled}::boolean, ${sealed({ barrier }, hash, login)}, now(),
           now() + make_interval(secs => ${seconds}::int)
      from mount m
    returning 1`.execute(db);
  if (rows.length === 0) throw badRequest('the auth method was disabled');
  return state;
}

/**
 * Takes an open login, which one of any number of callers can, for the answer of its provider. Undefined when it does not exist, has
 * expired or was taken before. One whose client polls stays, so that `settleLogin` can complete it.
 */
export async function takeLogin({ db, barrier }: Parts, key: LoginKey): Promise<PendingLogin | undefined> {
  const hash = hashOf({ barrier }, key);
  const { rows } = await rowsOf({ login: bytea })`
    with taken as (
      update browser_logins set stage = 'taken'
       where state_hash = ${hash} and stage = 'open' and expire_at > now() and polled
      returning login
    ), gone as (
      delete from browser_logins where state_hash = ${hash} and stage = 'open' and expire_at > now() and not polled
      returning login
    )
    select login from taken union all select login from gone`.execute(db);
  return rows[0] && opened({ barrier }, hash, rows[0].login);
}

/** A login and its stage. Undefined when it does not exist or has expired. */
export async function findLogin({ db, barrier }: Parts, key: LoginKey) {
  const hash = hashOf({ barrier }, key);
  const { rows } = await rowsOf({ stage: text, login: bytea })`
    select stage, login from browser_logins where state_hash = ${hash} and expire_at > now()`.execute(db);
  return rows[0] && { stage: rows[0].stage, login: opened({ barrier }, hash, rows[0].login) };
}

interface Change {
  readonly from: 'open' | 'taken' | 'device';
  readonly to: 'open' | 'proved' | 'device';
  readonly login: PendingLogin;
}

/** Replaces a login that is still at a stage. False when it is not. */
export async function changeLogin(
  { db, barrier }: Parts,
  key: LoginKey,
  { from, to, login }: Change,
): Promise<boolean> {
  const hash = hashOf({ barrier }, key);
  const { rows } = await sql`
    update browser_logins set stage = ${to}, login = ${sealed({ barrier }, hash, login)}
     where state_hash = ${hash} and stage = ${from} and expire_at > now()
    returning 1`.execute(db);
  return rows.length > 0;
}

/** Claims the right to ask the provider of a device login. False when the last poll was too recent. */
export async function claimPoll({ db, barrier }: Parts, key: LoginKey, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    update browser_logins set next_poll_at = now() + make_interval(secs => ${seconds}::int)
     where state_hash = ${hashOf({ barrier }, key)} and stage = 'device' and next_poll_at <= now() and expire_at > now()
    returning 1`.execute(db);
  return rows.length > 0;
}

/** False when the login did not exist, so that one of any number of callers gets its token. */
export async function dropLogin({ db, barrier }: Parts, key: LoginKey): Promise<boolean> {
  const { rows } = await sql`
    delete from browser_logins where state_hash = ${hashOf({ barrier }, key)} returning 1`.execute(db);
  return rows.length > 0;
}

/** Deletes expired logins of all mounts. */
export async function dropExpiredLogins({ db }: Pick<Store, 'db'>, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from browser_logins where state_hash in (
      select state_hash from browser_logins where expire_at <= now() order by expire_at limit ${limit} for update skip locked)
    returning 1`.execute(db);
  return rows.length;
}

const hashOf = ({ barrier }: Pick<Store, 'barrier'>, { mountId, state }: LoginKey): Buffer =>
  barrier.mac('browser-login-state', `${mountId}/${state}`);

const sealed = ({ barrier }: Pick<Store, 'barrier'>, hash: Buffer, login: PendingLogin): Buffer =>
  barrier.seal(JSON.stringify(login), aadOf(hash));

const opened = ({ barrier }: Pick<Store, 'barrier'>, hash: Buffer, login: Buffer): PendingLogin =>
  pendingLogin.parse(JSON.parse(barrier.open(login, aadOf(hash)).toString()));

const aadOf = (hash: Buffer): string => `browser_logins/${hash.toString('hex')}`;
