import { parseJson } from '../../core/json.ts';
import type { Reply } from '../../path/row.ts';
import { openVersion } from '../sealing.ts';
import type { SecretPlace } from '../secret-path.ts';
import { openCustomMetadata } from './custom-metadata.ts';
import type { KvParts } from './parts.ts';
import type { VersionRow } from './read.ts';
import { type ShownVersion, showVersion, unreadable } from './reply.ts';
import { isReadable } from './versions.ts';

/** Reads a version; `wanted` 0 or less: the current one. Deleted or destroyed: 404 with its metadata. */
export async function readSecret(parts: KvParts, place: SecretPlace, wanted: number): Promise<Reply> {
  const found = await openSecret(parts, place, wanted);
  if (found === undefined) return undefined;
  if (found.json === undefined) return unreadable({ data: null, metadata: found.metadata });
  return { data: { data: parseJson(found.json), metadata: found.metadata } };
}

interface OpenedSecret {
  readonly metadata: ShownVersion;
  /** Undefined: the version is deleted or destroyed. */
  readonly json: string | undefined;
}

/** Undefined: there is no such version. */
export async function openSecret(
  parts: KvParts,
  place: SecretPlace,
  wanted: number,
): Promise<OpenedSecret | undefined> {
  const row = await parts.readVersion({ ...place, version: Math.max(0, wanted) });
  if (row === undefined) return undefined;
  const customMetadata = openCustomMetadata(parts.store.barrier, place, row.custom_metadata);
  return { metadata: showVersion(row, customMetadata), json: jsonOf(parts, place, row) };
}

function jsonOf({ store, clock }: KvParts, place: SecretPlace, row: VersionRow): string | undefined {
  if (row.data === null || !isReadable(row, clock.now())) return undefined;
  return openVersion(store.barrier, { ...place, id: row.id }, row.data);
}
