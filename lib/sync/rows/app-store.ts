import type { Transaction } from 'kysely';
import { badRequest } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Database } from '../../store/tables.ts';
import { openConnection } from '../drivers.ts';
import type { SyncParts } from './parts.ts';

export interface App {
  readonly name: string;
  readonly app_id: string;
  /** PEM. */
  readonly private_key: string;
  readonly fingerprint: string;
}

/** Writes it under its name, new or not. */
export async function saveApp(store: Store, tx: Transaction<Database>, app: App): Promise<void> {
  const { name, app_id, fingerprint } = app;
  const columns = { app_id, fingerprint, private_key: store.barrier.seal(app.private_key, `repo_host_apps/${name}`) };
  await tx
    .insertInto('repo_host_apps')
    .values({ name, ...columns })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(columns))
    .execute();
}

/** Whether there is such an app. Until the transaction ends it cannot go (`share`), nor get a new user (`update`). */
export async function lockApp(tx: Transaction<Database>, name: string, lock: 'share' | 'update'): Promise<boolean> {
  const query = tx.selectFrom('repo_host_apps').select('name').where('name', '=', name);
  return (await (lock === 'update' ? query.forUpdate() : query.forShare()).executeTakeFirst()) !== undefined;
}

/** @throws AppError `bad-request` when the connection details name an app that is not configured */
export async function mustHaveApp(
  tx: Transaction<Database>,
  connection: Readonly<Record<string, unknown>>,
): Promise<void> {
  const app = connection['app_name'];
  if (typeof app !== 'string' || (await lockApp(tx, app, 'share'))) return;
  throw badRequest(
    `app_name: no app ${JSON.stringify(app)} is configured: write it to sys/sync/github-apps/${app} first`,
  );
}

export interface AppUser {
  readonly id: string;
  readonly type: string;
  readonly name: string;
}

/** Destinations that log in with the app. Its name is in their sealed details. */
export async function usersOf(
  { store, definitions }: SyncParts,
  tx: Transaction<Database>,
  app: string,
): Promise<readonly AppUser[]> {
  const types = definitions.filter(({ fields }) => 'app_name' in fields).map(({ type }) => type);
  const rows = await tx
    .selectFrom('destinations')
    .select(['id', 'type', 'name', 'connection'])
    .where('type', 'in', types)
    .execute();
  return rows.filter((row) => openConnection(store, row.type, row.name, row.connection)['app_name'] === app);
}
