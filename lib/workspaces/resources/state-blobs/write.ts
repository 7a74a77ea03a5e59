import { createHash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { yieldToOthers } from '#core/concurrency/yielding.ts';
import { AppError } from '#core/errors.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { chunkBytes, chunkName, type Ending, endingName } from './parts.ts';

type Parts = Pick<Store, 'db' | 'barrier'>;

/** A stored file that stays invisible until `attachBlob`. */
export interface StoredBlob extends Ending {
  readonly id: string;
}

export interface BlobOwner {
  readonly workspaceId: string;
  /** The type of the file, such as `state`. */
  readonly kind: string;
}

/** Interval at which an upload in progress marks itself as active. */
const touchEveryMs = 10_000;

/**
 * Stores a file while it arrives: one encrypted chunk per statement, so that the whole file is never in memory and no connection
 * waits for the sender. An incomplete file is deleted; the sweep deletes what a process leaves behind when it dies. `look` sees
 * every chunk.
 *
 * @throws errors of `pieces` and `look`
 */
export async function writeBlob(
  store: Parts,
  owner: BlobOwner,
  pieces: AsyncIterable<Buffer>,
  look: (piece: Buffer) => Promise<void> | void = () => {},
): Promise<StoredBlob> {
  const writer = new BlobWriter(store, newId('blob'));
  await sql`
    insert into ws_blobs (id, workspace_id, kind) values (${writer.id}, ${owner.workspaceId}, ${owner.kind})`.execute(
    store.db,
  );
  try {
    for await (const piece of pieces) {
      await look(piece);
      await writer.write(piece);
    }
    return await writer.end();
  } catch (error) {
    await dropBlob(store, writer.id).catch(() => {});
    throw error;
  }
}

/** Marks a stored file as complete, in the transaction that adds a reference to it. @throws AppError `unavailable` */
export async function attachBlob(tx: Transaction<Database>, { barrier }: Parts, blob: StoredBlob): Promise<void> {
  const { id, ...ending } = blob;
  const sealed = barrier.seal(JSON.stringify(ending), endingName(id));
  const { rows } = await sql`
    update ws_blobs set whole = true, ending = ${sealed} where id = ${id} and not whole returning id`.execute(tx);
  if (rows.length === 0) throw new AppError('unavailable', 'the file took too long to arrive: send it again');
}

/** Deletes a file with all its chunks. */
export async function dropBlob({ db }: Pick<Store, 'db'>, id: string): Promise<void> {
  await sql`delete from ws_blobs where id = ${id}`.execute(db);
}

class BlobWriter {
  readonly id: string;
  readonly #store: Parts;
  readonly #md5 = createHash('md5');
  readonly #sha256 = createHash('sha256');
  #held: Buffer[] = [];
  #heldBytes = 0;
  #chunks = 0;
  #bytes = 0;
  #touchedAt = performance.now();

  constructor(store: Parts, id: string) {
    this.#store = store;
    this.id = id;
  }

  async write(piece: Buffer): Promise<void> {
    this.#md5.update(piece);
    this.#sha256.update(piece);
    this.#bytes += piece.length;
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    while (this.#heldBytes >= chunkBytes) {
      const held = this.#held.length === 1 ? (this.#held[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#held);
      await this.#putChunk(held.subarray(0, chunkBytes));
      const rest = held.subarray(chunkBytes);
      this.#held = rest.length === 0 ? [] : [rest];
      this.#heldBytes = rest.length;
    }
  }

  async end(): Promise<StoredBlob> {
    if (this.#heldBytes > 0) await this.#putChunk(Buffer.concat(this.#held));
    const [md5, sha256] = [this.#md5.digest('hex'), this.#sha256.digest('hex')];
    return { id: this.id, chunks: this.#chunks, bytes: this.#bytes, md5, sha256 };
  }

  async #putChunk(chunk: Buffer): Promise<void> {
    await yieldToOthers();
    const { db, barrier } = this.#store;
    const sealed = barrier.seal(chunk, chunkName(this.id, this.#chunks));
    const { rows } = await sql`
      insert into ws_blob_chunks (blob_id, position, data)
      select id, ${this.#chunks}, ${sealed} from ws_blobs where id = ${this.id} and not whole returning 1`.execute(db);
    if (rows.length === 0) throw new AppError('unavailable', 'the file took too long to arrive: send it again');
    this.#chunks += 1;
    if (performance.now() - this.#touchedAt < touchEveryMs) return;
    this.#touchedAt = performance.now();
    await sql`update ws_blobs set touched_at = now() where id = ${this.id}`.execute(db);
  }
}
