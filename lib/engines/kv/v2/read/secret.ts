import { parseJson } from '#core/json/json.ts';
import { WrittenJson } from '#core/json/write.ts';
import type { Reply, ReplyWith } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { openStored, type VersionJson } from '../../shared/stored-version.ts';
import { openCustomMetadata } from '../rules/custom-metadata.ts';
import type { ReadParts } from './read.ts';
import { type ShownVersion, showVersion, unreadable } from './reply.ts';

/** The version to read, where 0 or less is the current one, and the holder of the memory for it. */
export interface Wanted extends SecretLocation {
  readonly version: number;
  readonly hold: RequestContext['hold'];
}

/** Reads a version. A deleted or destroyed one is a 404 with its metadata. */
export async function readSecret(parts: ReadParts, wanted: Wanted): Promise<Reply | ReplyWith<404>> {
  const found = await openSecret(parts, wanted);
  if (found === undefined) return undefined;
  const { json, metadata } = found;
  if (json === undefined) return unreadable({ data: null, metadata });
  if (typeof json === 'string') return { data: { data: parseJson(json), metadata } };
  const written = new WrittenJson(json);
  return { data: { data: written, metadata }, written };
}

interface OpenedSecret {
  readonly metadata: ShownVersion;
  /** Undefined when the version is deleted or destroyed. */
  readonly json: VersionJson | undefined;
}

/** Undefined when there is no such version. */
export async function openSecret(
  { store, readVersion }: ReadParts,
  { mountId, path, version, hold }: Wanted,
): Promise<OpenedSecret | undefined> {
  const location = { mountId, path };
  const row = await readVersion({ ...location, version: Math.max(0, version) });
  if (row === undefined) return undefined;
  const metadata = showVersion(row, openCustomMetadata(store.barrier, location, row.custom_metadata));
  if (!row.readable) return { metadata, json: undefined };
  const opening = { db: store.db, barrier: store.barrier, hold };
  return { metadata, json: await openStored(opening, { ...location, id: row.id, version: row.version }, row) };
}
