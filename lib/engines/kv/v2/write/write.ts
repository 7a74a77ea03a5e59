import { type Kysely, sql } from 'kysely';
import { type AppError, badRequest } from '../../../../core/errors.ts';
import { uuid } from '../../../../core/ids.ts';
import type { JsonObject } from '../../../../core/json.ts';
import type { Database } from '../../../../store/tables.ts';
import type { EngineParts } from '../../../contract.ts';
import { gatheredWrites } from '../../shared/gathered-writes.ts';
import { sealVersion } from '../../shared/sealing.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import type { Authors } from '../attribution.ts';
import { casMismatch, casMissing } from '../versions/versions.ts';
import { insertVersions } from './batch.ts';
import { insertVersion, type NewVersion, type WrittenRow } from './statement.ts';

export interface Write extends SecretLocation {
  readonly data: JsonObject;
  readonly cas: number | undefined;
  readonly by: Authors;
}

/** How often a secret may be made and removed by others while a write tries to get hold of it. */
const roundsMax = 3;

export type WriteVersion = (write: Write) => Promise<WrittenRow>;

/**
 * Writes versions of secrets, those that come together in one round trip. If a write is refused (wrong cas, or the secret
 * changed or was in the hands of another), the secret is locked first and then the answer is final.
 *
 * @throws AppError `bad-request` with the reason of a refusal, `not-found` when the mount has gone meanwhile
 */
export function versionWriter(parts: EngineParts): WriteVersion {
  const { store } = parts;
  const insert = gatheredWrites<NewVersion, WrittenRow>({
    one: (version) => insertVersion(store.db, version),
    many: (versions) => insertVersions(store.db, versions),
    alone: (version) => store.transaction((tx) => insertLocked(tx, version)),
  });
  return async (write) => {
    const version = await newVersion(parts, write);
    return insert(version);
  };
}

/** The same inside of a transaction that has locked the secret. */
export async function writeLockedVersion(tx: Kysely<Database>, version: NewVersion): Promise<WrittenRow> {
  const written = await insertVersion(tx, version);
  if (written === undefined) throw refused(version);
  return written;
}

/** Locks the row of a secret until the end of the transaction; undefined: there is none. */
export async function lockSecret(tx: Kysely<Database>, location: SecretLocation): Promise<LockedSecret | undefined> {
  const { rows } = await sql<LockedSecret>`
    select current_version, oldest_version, cas_required, custom_metadata from kv_secrets
     where mount_id = ${location.mountId}::uuid and path = ${location.path} for no key update`.execute(tx);
  return rows[0];
}

export interface LockedSecret {
  readonly current_version: number;
  readonly oldest_version: number;
  readonly cas_required: boolean;
  /** Sealed. */
  readonly custom_metadata: Buffer | null;
}

/** A version ready to be written. @throws AppError `bad-request` for data that is nested too deeply */
export async function newVersion({ store }: EngineParts, { mountId, path, data, cas, by }: Write): Promise<NewVersion> {
  const id = uuid();
  const sealed = await sealVersion(store.barrier, { mountId, path, id }, data);
  return { mountId, path, id, data: sealed, cas, by };
}

async function insertLocked(tx: Kysely<Database>, version: NewVersion): Promise<WrittenRow> {
  for (let round = 0; round < roundsMax; round += 1) {
    const locked = await lockSecret(tx, version);
    const written = await insertVersion(tx, version);
    if (written !== undefined) return written;
    // Nothing to lock and still refused: perhaps another has made the secret in between.
    if (locked !== undefined || (version.cas ?? 0) > 0) break;
  }
  throw refused(version);
}

const refused = ({ cas }: NewVersion): AppError => badRequest(cas === undefined ? casMissing : casMismatch);
