import { sql } from 'kysely';
import { invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import type { Page } from '#path/jsonapi/page.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { newId } from '../../frame/ids.ts';
import { type SshKeyRow, sshKeyColumns } from './view.ts';

export interface SshKeyChange {
  readonly name?: string;
  readonly value?: string;
}

/** SSH keys of one organization. */
const keysMax = 1_000;

/** A page of the keys of an organization, ordered by name, with their total number. */
export async function listSshKeys({ db }: Store, organizationId: string, { size, offset }: Page) {
  const { rows } = await rowsOf(sshKeyColumns)`
    select id, organization_id, name from ws_ssh_keys
     where organization_id = ${organizationId} order by name, id`.execute(db);
  return { rows: rows.slice(offset, offset + size), total: rows.length };
}

/** @throws ApiError 422 without a name or a value, or for too many keys */
export async function createSshKey(
  { db, barrier }: Store,
  organizationId: string,
  { name, value }: SshKeyChange,
): Promise<SshKeyRow> {
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  if (value === undefined) throw invalidAttribute('value', "Value can't be blank");
  const id = newId('sshkey');
  const { rows } = await rowsOf(sshKeyColumns)`
    insert into ws_ssh_keys (id, organization_id, name, value)
    select ${id}, ${organizationId}, ${name}, ${barrier.seal(value, sshKeyName(id))}
     where (select count(*) from ws_ssh_keys where organization_id = ${organizationId}) < ${keysMax}
    returning id, organization_id, name`.execute(db);
  const [row] = rows;
  if (row === undefined) throw unprocessable(`An organization may have at most ${keysMax} SSH keys`);
  return row;
}

/** Updates the attributes that were sent. @throws ApiError 404 when it was deleted meanwhile */
export async function updateSshKey(
  { db, barrier }: Store,
  id: string,
  { name, value }: SshKeyChange,
): Promise<SshKeyRow> {
  const sealed = value === undefined ? null : barrier.seal(value, sshKeyName(id));
  const { rows } = await rowsOf(sshKeyColumns)`
    update ws_ssh_keys set name = coalesce(${name ?? null}, name), value = coalesce(${sealed}, value)
     where id = ${id} returning id, organization_id, name`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

/** Deletes a key and removes it from its workspaces. */
export async function removeSshKey({ db }: Store, id: string): Promise<void> {
  await sql`delete from ws_ssh_keys where id = ${id}`.execute(db);
}

/** @throws ApiError 404 when it was deleted meanwhile */
export async function readSshKey({ db }: Store, id: string): Promise<SshKeyRow> {
  const { rows } = await rowsOf(sshKeyColumns)`
    select id, organization_id, name from ws_ssh_keys where id = ${id}`.execute(db);
  const [key] = rows;
  if (key === undefined) throw notFound();
  return key;
}

export const sshKeyName = (id: string): string => `ws_ssh_keys/${id}`;
