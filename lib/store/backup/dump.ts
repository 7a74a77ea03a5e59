import { to as copyTo } from 'pg-copy-streams';
import type { DatabaseAccess } from '../postgres/connect/servers.ts';
import { appliedMigrations, clusterIdOf, tablesInOrder } from './catalog.ts';
import { type BackupFile, FrameWriter } from './frames.ts';
import { type BackupHeader, type BackupTable, begin, connect, type Moved, type OnTable, quoted } from './parts.ts';

/** PostgreSQL sends rows one by one; they are collected into pieces of this size. */
const pieceBytes = 262_144;

/**
 * Writes all data of a store to a file as of one instant: every table is read by `COPY` in one transaction with one snapshot. It
 * neither blocks nor waits for other transactions. Sealed values stay sealed.
 *
 * @throws Error when the database does not contain a store
 */
export async function dump(database: DatabaseAccess, file: BackupFile, onTable: OnTable): Promise<Dumped> {
  const client = await connect(database);
  try {
    await begin(client, 'isolation level repeatable read read only');
    const migrations = await appliedMigrations(client);
    if (migrations === undefined) throw new Error('the database holds no data of this service: is DATABASE_URL right?');
    const createdAt = new Date().toISOString();
    const clusterId = await clusterIdOf(client);
    const header: BackupHeader = {
      format: 'keyferry-backup',
      version: 1,
      createdAt,
      migrations: [...migrations],
      clusterId,
    };
    const writer = new FrameWriter(file);
    await writer.writeJson('H', header);
    const rows: Record<string, number> = {};
    for (const table of await tablesInOrder(client)) {
      await writer.writeJson('T', table);
      rows[table.name] = await copyOut(client, table, writer);
      onTable(table.name, rows[table.name] ?? 0);
    }
    await writer.writeJson('E', { rows });
    const sha256 = await writer.finish();
    return { header, rows, sha256, bytes: writer.bytes };
  } finally {
    await client.end();
  }
}

export interface Dumped extends Moved {
  readonly sha256: string;
  /** Size of the file without the checksum. */
  readonly bytes: number;
}

async function copyOut(
  client: Awaited<ReturnType<typeof connect>>,
  { name, columns }: BackupTable,
  writer: FrameWriter,
): Promise<number> {
  const stream = client.query(copyTo(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`));
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    held.push(piece);
    heldBytes += piece.length;
    if (heldBytes < pieceBytes) continue;
    await writer.write('D', Buffer.concat(held));
    [held, heldBytes] = [[], 0];
  }
  if (heldBytes > 0) await writer.write('D', Buffer.concat(held));
  return stream.rowCount;
}
