import { sql, type Transaction } from 'kysely';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { Part } from '../plans-and-applies/report.ts';
import type { RunRow } from '../run-lifecycle/store.ts';
import { appendBlob, growingBlob, sizeOf } from '../state-blobs/append.ts';
import { blobPart } from '../state-blobs/read.ts';

type Tx = Transaction<Database>;
type Barrier = Pick<Store, 'barrier'>;

/** A log begins and ends with these characters. Clients read until they find the end. */
const startOfText = Buffer.from([0x02]);
const endOfText = Buffer.from([0x03]);

const columns = { plan: 'plan_log_id', apply: 'apply_log_id' } as const;

type WithLogs = Pick<RunRow, 'id' | 'workspace_id' | 'plan_log_id' | 'apply_log_id'>;

/** Opens the log of a part for an agent, and returns its size. A part that is taken again continues its log. */
export async function openLog(tx: Tx, store: Barrier, run: WithLogs, part: Part): Promise<number> {
  const present = run[columns[part]];
  if (present !== null) return sizeOf(tx, store, present);
  const id = await growingBlob(tx, store, { workspaceId: run.workspace_id, kind: 'log' });
  await sql`update ws_runs set ${sql.ref(columns[part])} = ${id} where id = ${run.id}`.execute(tx);
  return appendBlob(tx, store, { id, bytes: startOfText });
}

/** Adds a sentence to the log of a part, which is opened if needed, unless the log ends with it. */
export async function addOnce(
  tx: Tx,
  store: Barrier,
  { run, part }: { readonly run: WithLogs; readonly part: Part },
  sentence: string,
): Promise<void> {
  const present = run[columns[part]];
  const line = Buffer.from(`${sentence}\n`);
  const size = present === null ? await openLog(tx, store, run, part) : await sizeOf(tx, store, present);
  if (size > waitingBytesMax) return;
  const id = present ?? (await logOf(tx, run.id, part));
  const offset = Math.max(0, size - line.length);
  if ((await blobPart({ db: tx, barrier: store.barrier }, id, { offset, limit: line.length })).equals(line)) return;
  await appendBlob(tx, store, { id, bytes: line });
}

/** A run that waits for days must not fill its log before it begins. */
const waitingBytesMax = 65_536;

async function logOf(tx: Tx, runId: string, part: Part): Promise<string> {
  const { rows } = await rowsOf({ id: text })`
    select ${sql.ref(columns[part])} as id from ws_runs where id = ${runId}`.execute(tx);
  return rows[0]?.id ?? '';
}

/** Adds a sentence of this service to the log of a part, and ends the log if the part is over. */
export async function addToLog(
  tx: Tx,
  store: Barrier,
  { run, part }: { readonly run: WithLogs; readonly part: Part },
  { sentence, isOver }: { readonly sentence?: string; readonly isOver: boolean },
): Promise<void> {
  const id = run[columns[part]];
  if (id === null) return;
  if (sentence !== undefined) await appendBlob(tx, store, { id, bytes: Buffer.from(`\n${sentence}\n`) });
  if (isOver) await appendBlob(tx, store, { id, bytes: endOfText });
}
