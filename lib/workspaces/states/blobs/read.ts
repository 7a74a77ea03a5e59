import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { AppError } from '../../../core/errors.ts';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { BytesReply } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { chunkBytes, chunkName, type Ending, endingName } from './parts.ts';

type Parts = Pick<Store, 'db' | 'barrier'>;

/** What is known of a whole file. @throws ApiError 404 when there is none */
export async function endingOf({ db, barrier }: Parts, id: string | null): Promise<Ending> {
  const { rows } = await sql<{ ending: Buffer }>`select ending from ws_blobs where id = ${id} and whole`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return JSON.parse(barrier.open(row.ending, endingName(id ?? '')).toString());
}

/**
 * The pieces of a file, each read when it is asked for: who stops asking leaves nothing running.
 *
 * @throws AppError `internal` when one is missing or does not belong to its place
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

/** The answer that is a file. @throws ApiError 404 when there is none */
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

/** A part of a file, in bytes; what is beyond its end is not there. @throws ApiError 404 when there is none */
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
  const { rows } = await sql<{ data: Buffer }>`
    select data from ws_blob_chunks where blob_id = ${id} and position = ${position}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new AppError('internal', `a stored file is damaged: ${chunkName(id, position)}`);
  return barrier.open(row.data, chunkName(id, position));
}
