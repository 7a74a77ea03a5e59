import { sql } from 'kysely';
import { invalidAttribute, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import type { Page } from '../../../path/jsonapi/page.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { type Standing, standingOf } from '../../access/standing.ts';
import { newId } from '../../frame/ids.ts';
import type { SshKeyRow } from './view.ts';

export interface SshKeyChange {
  readonly name?: string;
  readonly value?: string;
}

/** Of one organization. */
const keysMax = 1_000;

/** A page of the keys of an organization by name, with the number of all. */
export async function listSshKeys({ db }: Store, organizationId: string, { size, offset }: Page) {
  const { rows } = await sql<SshKeyRow>`
    select id, organization_id, name from ws_ssh_keys
     where organization_id = ${organizationId} order by name, id`.execute(db);
  return { rows: rows.slice(offset, offset + size), total: rows.length };
}

/** @throws ApiError 422 without a name or a value, and for more keys than an organization may have */
export async function createSshKey(
  { db, barrier }: Store,
  organizationId: string,
  { name, value }: SshKeyChange,
): Promise<SshKeyRow> {
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  if (value === undefined) throw invalidAttribute('value', "Value can't be blank");
  const id = newId('sshkey');
  const { rows } = await sql<SshKeyRow>`
    insert into ws_ssh_keys (id, organization_id, name, value)
    select ${id}, ${organizationId}, ${name}, ${barrier.seal(value, aad(id))}
     where (select count(*) from ws_ssh_keys where organization_id = ${organizationId}) < ${keysMax}
    returning id, organization_id, name`.execute(db);
  const [row] = rows;
  if (row === undefined) throw unprocessable(`An organization may have at most ${keysMax} SSH keys`);
  return row;
}

/** Keeps what is not given. @throws ApiError 404 when it has gone meanwhile */
export async function updateSshKey(
  { db, barrier }: Store,
  id: string,
  { name, value }: SshKeyChange,
): Promise<SshKeyRow> {
  const sealed = value === undefined ? null : barrier.seal(value, aad(id));
  const { rows } = await sql<SshKeyRow>`
    update ws_ssh_keys set name = coalesce(${name ?? null}, name), value = coalesce(${sealed}, value)
     where id = ${id} returning id, organization_id, name`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** Workspaces that use it use none from then on. */
export async function removeSshKey({ db }: Store, id: string): Promise<void> {
  await sql`delete from ws_ssh_keys where id = ${id}`.execute(db);
}

/** A key, and what the caller is in its organization. @throws ApiError 404: it is not there, or the caller does not belong there */
export async function findSshKey(
  store: Store,
  caller: ApiCaller,
  id: string,
): Promise<{ readonly key: SshKeyRow; readonly standing: Standing }> {
  const standing = await standingOf(store, caller, sql`(select organization_id from ws_ssh_keys where id = ${id})`);
  const { rows } = await sql<SshKeyRow>`
    select id, organization_id, name from ws_ssh_keys where id = ${id}`.execute(store.db);
  const [key] = rows;
  if (key === undefined) throw notFound();
  return { key, standing };
}

const aad = (id: string): string => `ws_ssh_keys/${id}`;
