import { type Kysely, sql, type Transaction } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import { randomBase62 } from '#core/ids.ts';
import { sentOf } from '#core/problem.ts';
import type { Page } from '#path/listing.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { oidcRolesTable } from '#store/tables/identity.ts';
import type { Database } from '#store/tables.ts';
import { bounds, mustBeShortTime, quoted } from '../fields.ts';
import { heldKey } from '../keys/write.ts';
import { parseTemplate, plainTemplate } from '../template/template.ts';

const roleColumns = pick(oidcRolesTable, 'key', 'template', 'client_id', 'ttl');

/** What tokens of a role are made of. */
export type Role = RowOf<typeof roleColumns>;

/** A change of a role that a client asks for. Undefined members keep their values, or get the defaults of a new role. */
export type RoleChange = { readonly [Name in keyof Role]: Role[Name] | undefined };

/** Identifies a role. */
export interface RoleAt {
  readonly namespaceId: string;
  readonly name: string;
}

const ttlDefault = 86_400;
const clientIdLength = 26;

export async function findRole(
  { db }: { readonly db: Kysely<Database> },
  { namespaceId, name }: RoleAt,
): Promise<Role | undefined> {
  const { rows } = await rowsOf(roleColumns)`
    select key, template, client_id, ttl from oidc_roles where namespace_id = ${namespaceId} and name = ${name}`.execute(
    db,
  );
  return rows[0];
}

/**
 * Creates or changes a role. Its key cannot change meanwhile, so a token never outlives the public key that verifies it.
 *
 * @throws AppError `bad-request`
 */
export const writeRole = (store: Store, at: RoleAt, change: RoleChange): Promise<void> =>
  store.transaction(async (tx) => {
    const before = await findRole({ db: tx }, at);
    const role = changed(before, change);
    const key = await heldKey(tx, store, { namespaceId: at.namespaceId, name: role.key });
    if (key === undefined) throw badField('key', `cannot find key ${quoted(role.key)}`);
    if (role.ttl > key.verification_ttl)
      throw badField(
        sentOf(change, ['ttl', 'key']),
        "a role's token ttl cannot be longer than the verification_ttl of the key it references",
      );
    await put(tx, at, role);
    if (before === undefined) await mustNotBeTooMany(tx, at.namespaceId);
  });

function changed(before: Role | undefined, change: RoleChange): Role {
  const key = change.key ?? before?.key ?? '';
  if (key === '') throw badField('key', 'the key parameter is required');
  const template = change.template === undefined ? (before?.template ?? '') : plainTemplate(change.template);
  parseTemplate(template);
  const ttl = change.ttl ?? before?.ttl ?? ttlDefault;
  mustBeShortTime('ttl', ttl);
  const given = change.client_id ?? before?.client_id ?? '';
  return { key, template, ttl, client_id: given === '' ? randomBase62(clientIdLength) : given };
}

async function put(tx: Transaction<Database>, { namespaceId, name }: RoleAt, role: Role): Promise<void> {
  await sql`
    insert into oidc_roles (namespace_id, name, key, template, client_id, ttl)
    values (${namespaceId}, ${name}, ${role.key}, ${role.template}, ${role.client_id}, ${role.ttl})
    on conflict (namespace_id, name) do update
       set key = excluded.key, template = excluded.template, client_id = excluded.client_id, ttl = excluded.ttl`.execute(
    tx,
  );
}

/** A lock makes concurrent creations wait for each other, so that the bound is exact. */
async function mustNotBeTooMany(tx: Transaction<Database>, namespaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('oidc_roles'))`.execute(tx);
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from oidc_roles where namespace_id = ${namespaceId}`.execute(tx);
  if ((rows[0]?.count ?? 0) > bounds.roles) throw badRequest(`there are ${bounds.roles} roles already`);
}

export async function removeRole({ db }: Pick<Store, 'db'>, { namespaceId, name }: RoleAt): Promise<void> {
  await sql`delete from oidc_roles where namespace_id = ${namespaceId} and name = ${name}`.execute(db);
}

/** Names of roles after a name, in byte order. */
export async function roleNames(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { after, limit }: Page,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    select name from oidc_roles where namespace_id = ${namespaceId} and name > ${after}
     order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}
