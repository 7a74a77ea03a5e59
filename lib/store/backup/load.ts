import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { type Frame, readFrames } from './frames.ts';
import { type BackupTable, endSchema, type Moved, type OnTable, quoted, tableSchema } from './parts.ts';

/** Replaces the rows of existing tables by those of a backup, in the caller's transaction. */
export async function load(client: pg.Client, file: FileHandle, onTable: OnTable): Promise<Moved['rows']> {
  const tables = await tablesOf(file);
  // The triggers accepted these rows once, and the rows now come in another order. Foreign keys are still checked.
  const triggers = (action: 'disable' | 'enable') =>
    client.query(tables.map(({ name }) => `alter table ${quoted(name)} ${action} trigger user`).join('; '));
  await triggers('disable');
  await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`);
  const rows: Record<string, number> = {};
  let current: { readonly table: BackupTable; readonly copy: CopyStreamQuery } | undefined;
  const end = async () => {
    if (current === undefined) return;
    const { table, copy } = current;
    copy.end();
    await finished(copy);
    await restoreIdentities(client, table);
    rows[table.name] = copy.rowCount;
    onTable(table.name, copy.rowCount);
    current = undefined;
  };
  for await (const frame of readFrames(file)) {
    if (frame.kind === 'D' && current !== undefined) await put(current.copy, frame.content);
    if (frame.kind !== 'T' && frame.kind !== 'E') continue;
    await end();
    if (frame.kind === 'T') current = begin(client, tableOf(frame));
    else mustBeAll(rows, frame);
  }
  // A table with pending constraint checks cannot be altered.
  await client.query('set constraints all immediate');
  await triggers('enable');
  return rows;
}

const tableOf = ({ content }: Frame): BackupTable => tableSchema.parse(JSON.parse(content.toString()));

async function tablesOf(file: FileHandle): Promise<readonly BackupTable[]> {
  const tables: BackupTable[] = [];
  for await (const frame of readFrames(file)) if (frame.kind === 'T') tables.push(tableOf(frame));
  return tables;
}

function begin(client: pg.Client, table: BackupTable) {
  const columns = table.columns.map(quoted).join(', ');
  const copy = client.query(copyFrom(`copy ${quoted(table.name)} (${columns}) from stdin`));
  // `put` and `finished` report the error.
  copy.on('error', () => {});
  return { table, copy };
}

async function put(copy: CopyStreamQuery, piece: Buffer): Promise<void> {
  if (copy.errored !== null) throw copy.errored;
  if (!copy.write(piece)) await once(copy, 'drain');
}

/** Sets the sequences so that the next row gets a number that was never used, not even by a row that has been deleted. */
async function restoreIdentities(client: pg.Client, { name, identities }: BackupTable): Promise<void> {
  for (const { column, last } of identities) {
    if (last === '0') continue;
    await client.query('select setval(pg_get_serial_sequence(quote_ident($1), $2)::regclass, $3::bigint)', [
      name,
      column,
      last,
    ]);
  }
}

function mustBeAll(rows: Readonly<Record<string, number>>, { content }: Frame): void {
  const { rows: expected } = endSchema.parse(JSON.parse(content.toString()));
  const wrong = Object.keys(expected).find((name) => rows[name] !== expected[name]);
  if (wrong !== undefined) throw new Error(`not all rows of the table ${wrong} were restored`);
}
