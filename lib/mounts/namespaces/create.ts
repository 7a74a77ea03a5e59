import { sql, type Transaction } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import { randomBase62 } from '#core/ids.ts';
import { rootNamespace } from '#core/namespace.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { changeTable } from '../insert.ts';
import { parentPath } from './record.ts';

/** Every process keeps all namespaces in memory. */
const namespacesMax = 10_000;

/** @throws AppError `bad-request` */
export async function createNamespace(
  tx: Transaction<Database>,
  path: string,
  metadata: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  await changeTable(tx);
  const before = tx.selectFrom('namespaces').select(['id', 'deleted_at']).where('path', '=', path);
  const there = await before.executeTakeFirst();
  if (there !== undefined) {
    if (there.deleted_at !== null) throw badRequest(`namespace ${JSON.stringify(path)} is being deleted`);
    if (metadata === undefined) return;
    const change = tx.updateTable('namespaces').set({ custom_metadata: JSON.stringify(metadata) });
    await change.where('id', '=', there.id).execute();
    return;
  }
  await mustHaveWay(tx, path);
  await mustBeFew(tx);
  await tx
    .insertInto('namespaces')
    .values({ id: await freeId(tx), path, custom_metadata: JSON.stringify(metadata ?? {}) })
    .execute();
}

/** Requires that the parent exists and that no mount in it occupies this path. */
async function mustHaveWay(tx: Transaction<Database>, path: string): Promise<void> {
  const above = parentPath(path);
  const own = path.slice(above.length);
  const parent = await parentId(tx, above);
  if (parent === undefined) throw badField('path', `parent namespace ${JSON.stringify(above)} does not exist`);
  const { rows } = await rowsOf({ path: text })`
    select path from mounts where namespace_id = ${parent} and starts_with(path, ${own}) limit 1`.execute(tx);
  if (rows[0] !== undefined) throw badField('path', `existing mount at ${rows[0].path}`);
}

async function parentId(tx: Transaction<Database>, path: string): Promise<string | undefined> {
  if (path === '') return rootNamespace.id;
  const query = tx.selectFrom('namespaces').select('id').where('path', '=', path).where('deleted_at', 'is', null);
  return (await query.executeTakeFirst())?.id;
}

async function mustBeFew(tx: Transaction<Database>): Promise<void> {
  const { rows } = await rowsOf({ count: int })`select count(*)::int as count from namespaces`.execute(tx);
  if ((rows[0]?.count ?? 0) >= namespacesMax) throw badRequest(`there are at most ${namespacesMax} namespaces`);
}

/** An id that neither a namespace nor leftover tokens of one use. Changes of the table are serialized, so it stays free. */
async function freeId(tx: Transaction<Database>): Promise<string> {
  for (;;) {
    const id = randomBase62(5);
    const { rows } = await sql`
      select 1 from namespaces where id = ${id} union all (select 1 from tokens where namespace_id = ${id} limit 1)`.execute(
      tx,
    );
    if (rows.length === 0) return id;
  }
}
