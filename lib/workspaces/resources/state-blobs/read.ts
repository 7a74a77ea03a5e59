import { Readable } from 'node:stream';
import { AppError } from '#core/errors.ts';
import { notFound } from '#path/jsonapi/error.ts';
import type { BytesReply } from '#path/jsonapi/row.ts';
import { bytea } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { chunkBytes, chunkName, type Ending, endingName, storedEnding } from './parts.ts';

type Parts = Pick<Store, 'db' | 'barrier'>;

/** Hashes and size of a complete file. @throws ApiError 404 when it does not exist */
export async function endingOf({ db, barrier }: Parts, id: string | null): Promise<Ending> {
  const { rows } = await rowsOf({ ending: bytea })`select ending from ws_blobs where id = ${id} and whole`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return storedEnding.parse(JSON.parse(barrier.open(row.ending, endingName(id ?? '')).toString()));
}

/**
 * The chunks of a file, each read on demand. A consumer may stop at any time.
 *
 * @throws AppError `internal` when a chunk is missing or out of place
 */
export async function* blobPieces(store: Parts, id: string, ending: Ending): AsyncGenerator<Buffer> {
  let bytes = 0;
  for (let position = 0; position < ending.chunks; position += 1) {
    const piece = await readChunk(store, id, position);
    bytes += piece.length;
    yield piece;
  }
  if (bytes !== ending.bytes) throw new AppError('internal', `a stored file is damaged: ${endingName(id)}`);
}

/** Answers with a file. @throws ApiError 404 when it does not exist */
export async function blobReply(store: Parts, id: string | null, contentType?: string): Promise<BytesReply> {
  const ending = await endingOf(store, id);
  const stream = Readable.from(blobPieces(store, id ?? '', ending), { objectMode: false, highWaterMark: 0 });
  return {
    status: 200,
    bytes: stream,
    headers: { 'content-length': String(ending.bytes) },
    ...(contentType === undefined ? {} : { contentType }),
  };
}

/** A byte range of a file, shorter at its end. @throws ApiError 404 when it does not exist */
export async function blobPart(
  store: Parts,
  id: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<Buffer> {
  const ending = await endingOf(store, id);
  const end = Math.min(offset + limit, ending.bytes);
  const first = Math.floor(offset / chunkBytes);
  const pieces: Buffer[] = [];
  for (let position = first; position * chunkBytes < end; position += 1)
    pieces.push(await readChunk(store, id, position));
  return Buffer.concat(pieces).subarray(offset - first * chunkBytes, Math.max(0, end - first * chunkBytes));
}

async function readChunk({ db, barrier }: Parts, id: string, position: number): Promise<Buffer> {
  const { rows } = await rowsOf({ data: bytea })`
    select data from ws_blob_chunks where blob_id = ${id} and position = ${position}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new AppError('internal', `a stored file is damaged: ${chunkName(id, position)}`);
  return barrier.open(row.data, chunkName(id, position));
}
