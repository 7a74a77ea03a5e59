import { sql } from 'kysely';
import { notFound, unprocessable } from '#path/jsonapi/error.ts';
import type { ApiReply } from '#path/jsonapi/row.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { PolicyCheck } from '../opa/check.ts';

type Db = Pick<Store, 'db'>;

/** The text of a policy. */
export const sourceBytesMax = 256 * 1024;

interface Upload {
  readonly stream: AsyncIterable<Buffer>;
  readonly check: PolicyCheck;
  readonly signal: AbortSignal;
}

/** Replaces the text of a policy. @throws ApiError 404, 422 unless it is text in UTF-8 that can be compiled, 503 */
export async function storeSource({ db }: Db, id: string, { stream, check, signal }: Upload): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  const source = textOf(Buffer.concat(pieces));
  await check(source, signal);
  const { numAffectedRows } = await sql`
    update ws_policies set source = ${source}, updated_at = now() where id = ${id}`.execute(db);
  if (numAffectedRows === 0n) throw notFound();
}

function textOf(bytes: Buffer): string {
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unprocessable('The policy must be text in UTF-8', { cause: error });
  }
  if (source.trim() === '' || source.includes('\0')) throw unprocessable('The policy must be a text');
  return source;
}

/** @throws ApiError 404 before the first upload */
export async function sourceReply({ db }: Db, id: string): Promise<ApiReply> {
  const { rows } = await rowsOf({ source: nullable(text) })`select source from ws_policies where id = ${id}`.execute(
    db,
  );
  const source = rows[0]?.source ?? null;
  if (source === null) throw notFound();
  return { status: 200, bytes: source, contentType: 'text/plain; charset=utf-8' };
}
