import type { Transaction } from 'kysely';
import { badField } from '#core/errors.ts';
import type { DestinationDefinition, SharedCredential } from '#destinations/contract.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type AppKey, addressesOf, openAppKey, sealAppKey } from '../../drivers/app-key.ts';
import { sealedName } from '../../drivers/connection.ts';
import { openConnection } from '../../drivers/drivers.ts';
import type { SyncParts } from '../parts.ts';

/** Identifies an app. */
export interface AppName {
  readonly namespaceId: string;
  readonly name: string;
}

export interface App extends AppKey {
  readonly namespaceId: string;
  readonly name: string;
  readonly app_id: string;
  readonly fingerprint: string;
}

/** Creates or replaces an app. */
export async function saveApp(
  store: Store,
  credential: SharedCredential,
  tx: Transaction<Database>,
  app: App,
): Promise<void> {
  const { namespaceId, name, app_id, fingerprint } = app;
  const columns = {
    app_id,
    fingerprint,
    private_key: sealAppKey(store, credential, sealedName(namespaceId, name), app),
  };
  await tx
    .insertInto('repo_host_apps')
    .values({ namespace_id: namespaceId, name, ...columns })
    .onConflict((conflict) => conflict.columns(['namespace_id', 'name']).doUpdateSet(columns))
    .execute();
}

/** Whether the app exists. Until the transaction ends it cannot be deleted (`share`) nor get a new user (`update`). */
export async function lockApp(tx: Transaction<Database>, app: AppName, lock: 'share' | 'update'): Promise<boolean> {
  return (await lockedKey(tx, app, lock)) !== undefined;
}

/** Loads the key of an app and locks the app like `lockApp`; undefined when it does not exist. */
export async function loadAppKey(
  store: Store,
  credential: SharedCredential,
  tx: Transaction<Database>,
  app: AppName,
  lock: 'share' | 'update',
): Promise<AppKey | undefined> {
  const sealed = await lockedKey(tx, app, lock);
  const name = sealedName(app.namespaceId, app.name);
  return sealed === undefined ? undefined : openAppKey(store, credential, name, sealed);
}

async function lockedKey(tx: Transaction<Database>, { namespaceId, name }: AppName, lock: 'share' | 'update') {
  const apps = tx.selectFrom('repo_host_apps').select('private_key').where('namespace_id', '=', namespaceId);
  const query = apps.where('name', '=', name);
  return (await (lock === 'update' ? query.forUpdate() : query.forShare()).executeTakeFirst())?.private_key;
}

/**
 * @throws AppError `bad-request` when the connection details name an app that is not configured, or one for another host, where
 * its signatures would be valid
 */
export async function requireApp(
  { store }: Pick<SyncParts, 'store'>,
  tx: Transaction<Database>,
  namespaceId: string,
  { credential }: DestinationDefinition,
  connection: Readonly<Record<string, unknown>>,
): Promise<void> {
  const app = credential && connection[credential.namedBy];
  if (credential === undefined || typeof app !== 'string') return;
  const key = await loadAppKey(store, credential, tx, { namespaceId, name: app }, 'share');
  const path = `sys/sync/${credential.path}/${app}`;
  if (key === undefined)
    throw badField(
      credential.namedBy,
      `${credential.namedBy}: no app ${JSON.stringify(app)} is configured: write it to ${path} first`,
    );
  const [own, wanted] = [credential.base(key.addresses), credential.base(addressesOf(connection))];
  if (own === wanted) return;
  throw badField(
    credential.namedBy,
    `${credential.namedBy}: app ${JSON.stringify(app)} logs in only at ${own}, and this destination is at ${wanted}: write ${Object.keys(credential.fields).join(' or ')} of that host, and the private_key, to ${path} first`,
  );
}

export interface AppUser {
  readonly id: string;
  readonly type: string;
  readonly name: string;
}

/** Destinations that log in with this app. Their sealed connection details hold its name. */
export async function usersOf(
  { store, definitions }: SyncParts,
  shared: SharedCredential,
  tx: Transaction<Database>,
  { namespaceId, name: app }: AppName,
): Promise<readonly AppUser[]> {
  const types = definitions.filter(({ credential }) => credential?.path === shared.path).map(({ type }) => type);
  const rows = await tx
    .selectFrom('destinations')
    .select(['id', 'namespace_id', 'type', 'name', 'connection'])
    .where('namespace_id', '=', namespaceId)
    .where('type', 'in', types)
    .execute();
  return rows.filter((row) => openConnection(store, row, row.connection)[shared.namedBy] === app);
}
