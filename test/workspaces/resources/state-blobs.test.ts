import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { grantIn, grantText } from '#workspaces/resources/state-blobs/grant.ts';
import { chunkBytes } from '#workspaces/resources/state-blobs/parts.ts';
import { blobPieces, endingOf } from '#workspaces/resources/state-blobs/read.ts';
import { dropAbandoned } from '#workspaces/resources/state-blobs/sweep.ts';
import { attachBlob, writeBlob } from '#workspaces/resources/state-blobs/write.ts';
import { filesOf } from '../support/files.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

async function newOwner() {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  return { workspaceId: id, kind: 'state' };
}

const store = () => ground.service.store;

/** A file of this many chunks, each filled with its number. */
async function stored(chunks: number) {
  const owner = await newOwner();
  const blob = await writeBlob(store(), owner, pieces(chunks));
  await store().transaction((tx) => attachBlob(tx, store(), blob));
  return { owner, blob };
}

async function* pieces(chunks: number): AsyncGenerator<Buffer> {
  for (let n = 0; n < chunks; n += 1) yield Buffer.alloc(chunkBytes, n);
}

async function read(id: string): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of blobPieces(store(), id, await endingOf(store(), id))) all.push(piece);
  return Buffer.concat(all);
}

test('a file is received no faster than it is stored, so that little of it is in memory', async () => {
  const owner = await newOwner();
  const chunks = 128;
  let waitingMax = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for (let n = 0; n < chunks; n += 1) {
      yield Buffer.alloc(chunkBytes, n);
      const [file] = await filesOf(ground, owner.workspaceId);
      waitingMax = Math.max(waitingMax, n + 1 - (file?.chunks ?? 0));
    }
  }
  const blob = await writeBlob(store(), owner, counted());
  expect(blob).toMatchObject({ chunks, bytes: chunks * chunkBytes });
  expect(waitingMax).toBeLessThanOrEqual(1);
});

test('a file that arrives in pieces of any size is stored in full chunks and read back unchanged', async () => {
  const owner = await newOwner();
  const bytes = Buffer.from(Array.from({ length: 700_001 }, (_value, at) => at % 251));
  async function* uneven(): AsyncGenerator<Buffer> {
    for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 3) % 99_991)
      yield bytes.subarray(at, at + size);
  }
  const blob = await writeBlob(store(), owner, uneven());
  await store().transaction((tx) => attachBlob(tx, store(), blob));
  expect(blob.chunks).toBe(3);
  expect((await read(blob.id)).equals(bytes)).toBe(true);
});

test('a sender that disconnects leaves nothing behind', async () => {
  const owner = await newOwner();
  async function* cut(): AsyncGenerator<Buffer> {
    yield* pieces(3);
    throw new Error('gone');
  }
  await expect(writeBlob(store(), owner, cut())).rejects.toThrow('gone');
  expect(await filesOf(ground, owner.workspaceId)).toEqual([]);
});

test('the sweep deletes what a dead process left behind and keeps uploads in progress; a deleted file cannot be attached', async () => {
  const owner = await newOwner();
  const blob = await writeBlob(store(), owner, pieces(2));
  await dropAbandoned(store(), 10);
  expect(await filesOf(ground, owner.workspaceId)).toHaveLength(1);
  await sql`update ws_blobs set touched_at = now() - interval '2 hours' where id = ${blob.id}`.execute(store().db);
  await ground.service.sweep();
  expect(await filesOf(ground, owner.workspaceId)).toEqual([]);
  await expect(store().transaction((tx) => attachBlob(tx, store(), blob))).rejects.toThrow('send it again');
  await expect(endingOf(store(), blob.id)).rejects.toThrow('not found');
});

test.each([
  ['two chunks are swapped', sql`update ws_blob_chunks set position = 1 - position where position < 2 and blob_id = `],
  ['the last chunk is cut off', sql`delete from ws_blob_chunks where position = 2 and blob_id = `],
  [
    'a chunk is altered',
    sql`update ws_blob_chunks set data = set_byte(data, 100, 255 - get_byte(data, 100)) where position = 1 and blob_id = `,
  ],
])('a file that was tampered with is not returned: %s', async (_what, change) => {
  const { blob } = await stored(3);
  await store().transaction(async (tx) => {
    await sql`alter table ws_blob_chunks drop constraint ws_blob_chunks_pkey`.execute(tx);
    await sql`${change}${blob.id}`.execute(tx);
    await sql`alter table ws_blob_chunks add primary key (blob_id, position)`.execute(tx);
  });
  await expect(read(blob.id)).rejects.toThrow('damaged');
});

test('chunks of one file are invalid in another', async () => {
  const [one, other] = [await stored(2), await stored(2)];
  await sql`
    update ws_blob_chunks c set data = o.data from ws_blob_chunks o
     where c.blob_id = ${one.blob.id} and o.blob_id = ${other.blob.id} and c.position = o.position`.execute(store().db);
  await expect(read(one.blob.id)).rejects.toThrow('damaged');
});

test('a reader that stops leaves no query running', async () => {
  const { blob } = await stored(4);
  const reading = blobPieces(store(), blob.id, await endingOf(store(), blob.id));
  await reading.next();
  await reading.return(undefined);
  await vi.waitFor(() => expect(store().connections().busy).toBe(0), { timeout: 10_000 });
});

test('a grant is valid for one verb, one object, and at least 25 hours', () => {
  const hours = (count: number) => ({ store: store(), clock: { now: () => new Date(count * 3_600_000) } });
  const text = grantText(hours(10.5), { verb: 'put-state', id: 'sv-1', bearer: undefined });
  expect(grantText(hours(10.9), { verb: 'put-state', id: 'sv-1', bearer: undefined })).toBe(text);
  expect(grantIn(hours(35.5), text, ['put-state'])).toEqual({ verb: 'put-state', id: 'sv-1', bearer: undefined });
  const refused = (given: string, verbs = ['put-state'], at = 11) =>
    expect(() => grantIn(hours(at), given, verbs)).toThrow('not found');
  refused(text, ['put-state'], 36.5);
  refused(text, ['get-state']);
  refused(text.replace('sv-1', 'sv-2'));
  refused(text.replace('put-state', 'get-state'), ['get-state']);
  refused(text.slice(0, -1));
  refused('');
});
