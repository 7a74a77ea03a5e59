import { sql, type Transaction } from 'kysely';
import { badField, notFound } from '#core/errors.ts';
import { type Namespace, rootNamespace } from '#core/namespace.ts';
import type { NewMount } from '#path/contract/mount.ts';
import type { Database } from '#store/tables.ts';
import { newAccessor } from './record.ts';

/**
 * Adds a mount in the caller's transaction. `fixed` lists the paths of built-in mounts, which have no row.
 *
 * @throws AppError `bad-request` when the path is in use, or lies above or below another mount or a namespace
 */
export async function insertMount(
  tx: Transaction<Database>,
  mount: NewMount,
  fixed: readonly string[] = [],
  namespace = rootNamespace,
): Promise<void> {
  await changeTable(tx);
  await mustBeThere(tx, namespace);
  mustBeFree('path', mount.path, [...fixed, ...(await takenPaths(tx, namespace.id))]);
  await mustBeNoNamespace(tx, 'path', mount.path, namespace);
  await tx
    .insertInto('mounts')
    .values({
      namespace_id: namespace.id,
      path: mount.path,
      type: mount.type,
      accessor: newAccessor(mount.path, mount.type),
      description: mount.description ?? '',
      options: JSON.stringify(mount.options ?? null),
      config: JSON.stringify(mount.config ?? {}),
      local: mount.local ?? false,
      seal_wrap: mount.sealWrap ?? false,
    })
    .execute();
}

/** The field of a request that has the path of a mount. */
export type PathField = 'path' | 'from' | 'to';

/** Every change of the table calls this first: it serializes changes and invalidates the copies of all processes. */
export async function changeTable(tx: Transaction<Database>): Promise<void> {
  await sql`update revisions set revision = revision + 1 where name = 'mounts'`.execute(tx);
}

export async function takenPaths(tx: Transaction<Database>, namespaceId: string): Promise<readonly string[]> {
  const rows = tx.selectFrom('mounts').select('path').where('namespace_id', '=', namespaceId);
  return (await rows.execute()).map(({ path }) => path);
}

/**
 * Refuses a mount whose paths would lead to a namespace.
 *
 * @throws AppError `bad-request`
 */
export async function mustBeNoNamespace(
  tx: Transaction<Database>,
  field: PathField,
  path: string,
  within: Namespace,
): Promise<void> {
  const [first] = path.split('/');
  const inTheWay = tx.selectFrom('namespaces').select('path').where('path', '=', `${within.path}${first}/`);
  if ((await inTheWay.executeTakeFirst()) !== undefined) throw badField(field, `existing namespace at ${first}/`);
}

/** Refuses changes in a namespace that is being deleted. @throws AppError `not-found` */
export async function mustBeThere(tx: Transaction<Database>, { id }: Namespace): Promise<void> {
  if (id === rootNamespace.id) return;
  const found = tx.selectFrom('namespaces').select('id').where('id', '=', id).where('deleted_at', 'is', null);
  if ((await found.executeTakeFirst()) === undefined) throw notFound(['namespace not found']);
}

/**
 * Refuses a mount inside another one: the outer mount's paths would lead to the inner one.
 *
 * @throws AppError `bad-request` that names the conflicting mount
 */
export function mustBeFree(field: PathField, path: string, taken: readonly string[]): void {
  if (taken.includes(path)) throw badField(field, `path is already in use at ${path}`);
  const inTheWay = taken.find((other) => path.startsWith(other) || other.startsWith(path));
  if (inTheWay !== undefined) throw badField(field, `existing mount at ${inTheWay}`);
}
