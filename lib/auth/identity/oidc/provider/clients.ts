import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { badField, badRequest } from '#core/errors.ts';
import { randomBase62 } from '#core/ids.ts';
import { Secret } from '#core/secret.ts';
import type { Page } from '#path/listing.ts';
import { bytea, int, jsonOf, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Barrier, Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { bounds, mustBeShortTime, quoted } from '../fields.ts';
import { defaultKeyName } from '../keys/read.ts';
import { heldKey } from '../keys/write.ts';
import { assignments } from './kinds.ts';
import { type At, lockProvider, settingsNamed } from './resource.ts';

const texts = z.array(z.string()).readonly();
const settings = z
  .strictObject({
    redirect_uris: texts,
    assignments: texts,
    id_token_ttl: z.int(),
    access_token_ttl: z.int(),
    client_type: z.enum(['confidential', 'public']),
  })
  .readonly();

const clientColumns = { name: text, client_id: text, key: text, secret: nullable(bytea), settings: jsonOf(settings) };

/** A system at which callers of this service log in. */
export interface Client extends z.infer<typeof settings> {
  readonly name: string;
  readonly client_id: string;
  readonly key: string;
  /** Sealed; null for a public client. */
  readonly secret: Buffer | null;
}

/** A change of a client. Undefined members keep their values, or get the defaults of a new client. */
export interface ClientChange {
  readonly key?: string | undefined;
  readonly redirect_uris?: readonly string[] | undefined;
  readonly assignments?: readonly string[] | undefined;
  readonly id_token_ttl?: number | undefined;
  readonly access_token_ttl?: number | undefined;
  readonly client_type?: string | undefined;
}

type Db = { readonly db: Kysely<Database> };

export const findClient = async (parts: Db, { namespaceId, name }: At): Promise<Client | undefined> =>
  (await select(parts, sql`namespace_id = ${namespaceId} and name = ${name}`))[0];

export const clientWithId = async (parts: Db, namespaceId: string, id: string): Promise<Client | undefined> =>
  (await select(parts, sql`namespace_id = ${namespaceId} and client_id = ${id}`))[0];

/** A page of clients in the order of their names. */
export const clientPage = (parts: Db, namespaceId: string, { after, limit }: Page): Promise<readonly Client[]> =>
  select(parts, sql`namespace_id = ${namespaceId} and name > ${after} order by name limit ${limit}`);

async function select({ db }: Db, condition: RawBuilder<unknown>): Promise<readonly Client[]> {
  const { rows } = await rowsOf(clientColumns)`
    select name, client_id, key, secret, settings from oidc_clients where ${condition}`.execute(db);
  return rows.map((row) => ({
    ...row.settings,
    name: row.name,
    client_id: row.client_id,
    key: row.key,
    secret: row.secret,
  }));
}

/** Creates or changes a client. Its key, type, id and secret never change. @throws AppError `bad-request` */
export const writeClient = (store: Store, at: At, change: ClientChange): Promise<void> =>
  store.transaction(async (tx) => {
    await lockProvider(tx, at.namespaceId);
    const before = await findClient({ db: tx }, at);
    const client = changed(before, change);
    await mustHaveParts(tx, store, at.namespaceId, client);
    if (before === undefined) await insert(tx, store, at, client);
    else
      await sql`
        update oidc_clients set settings = ${JSON.stringify(client.settings)}::jsonb
         where namespace_id = ${at.namespaceId} and name = ${at.name}`.execute(tx);
  });

type Changed = ReturnType<typeof changed>;

const ttlDefault = 86_400;

function changed(before: Client | undefined, change: ClientChange) {
  const key = change.key ?? before?.key ?? defaultKeyName;
  const type = change.client_type ?? before?.client_type ?? 'confidential';
  if (before !== undefined && key !== before.key) throw badField('key', 'key modification is not allowed');
  if (before !== undefined && type !== before.client_type)
    throw badField('client_type', 'client_type modification is not allowed');
  if (type !== 'confidential' && type !== 'public')
    throw badField('client_type', `invalid client_type ${quoted(type)}: must be one of [confidential public]`);
  const next: z.infer<typeof settings> = {
    redirect_uris: change.redirect_uris ?? before?.redirect_uris ?? [],
    assignments: [...new Set(change.assignments ?? before?.assignments ?? [])],
    id_token_ttl: change.id_token_ttl ?? before?.id_token_ttl ?? ttlDefault,
    access_token_ttl: change.access_token_ttl ?? before?.access_token_ttl ?? ttlDefault,
    client_type: type,
  };
  mustBeShortTime('id_token_ttl', next.id_token_ttl);
  mustBeShortTime('access_token_ttl', next.access_token_ttl);
  return { key, settings: next };
}

async function mustHaveParts(
  tx: Transaction<Database>,
  store: Store,
  namespaceId: string,
  client: Changed,
): Promise<void> {
  const found = await settingsNamed({ db: tx }, assignments, namespaceId, client.settings.assignments);
  const missing = client.settings.assignments.find((name) => !found.has(name));
  if (missing !== undefined) throw badField('assignments', `assignment ${quoted(missing)} does not exist`);
  const key = await heldKey(tx, store, { namespaceId, name: client.key });
  if (key === undefined) throw badField('key', `key ${quoted(client.key)} does not exist`);
  if (client.settings.id_token_ttl > key.verification_ttl)
    throw badField(
      'id_token_ttl',
      "a client's id_token_ttl cannot be greater than the verification_ttl of the key it references",
    );
}

const idLength = 32;
const secretLength = 64;

async function insert(tx: Transaction<Database>, { barrier }: Store, { namespaceId, name }: At, client: Changed) {
  const id = randomBase62(idLength);
  const isPublic = client.settings.client_type === 'public';
  const secret = isPublic ? null : barrier.seal(`hvo_secret_${randomBase62(secretLength)}`, aadOf(id));
  await sql`
    insert into oidc_clients (namespace_id, name, client_id, key, secret, settings)
    values (${namespaceId}, ${name}, ${id}, ${client.key}, ${secret}, ${JSON.stringify(client.settings)}::jsonb)`.execute(
    tx,
  );
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from oidc_clients where namespace_id = ${namespaceId}`.execute(tx);
  if ((rows[0]?.count ?? 0) > bounds.roles) throw badRequest(`there are ${bounds.roles} clients already`);
}

/** The secret of a confidential client. */
export const secretOf = (barrier: Barrier, { client_id, secret }: Client): Secret | undefined =>
  secret === null ? undefined : new Secret(barrier.open(secret, aadOf(client_id)).toString());

/** Additional data that binds a sealed secret to its row. */
const aadOf = (clientId: string): string => `oidc_clients/${clientId}`;

export async function removeClient({ db }: Pick<Store, 'db'>, { namespaceId, name }: At): Promise<void> {
  await sql`delete from oidc_clients where namespace_id = ${namespaceId} and name = ${name}`.execute(db);
}
