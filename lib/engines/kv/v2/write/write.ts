import type { Kysely } from 'kysely';
import { type AppError, badField } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import type { JsonObject } from '#core/json/json.ts';
import type { EngineParts } from '#engines/contract.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, bytea, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { gatheredWrites } from '../../shared/gathered-writes.ts';
import { sealVersion } from '../../shared/sealing.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import type { Authors } from '../attribution.ts';
import type { ReadParts } from '../read/read.ts';
import { casMismatch, casMissing } from '../rules/versions.ts';
import { insertVersions } from './batch.ts';
import { insertVersion, type NewVersion, type WrittenRow } from './statement.ts';

export interface Write extends SecretLocation {
  readonly data: JsonObject;
  readonly cas: number | undefined;
  readonly by: Authors;
}

/** How often others may create and remove the secret while a write tries to lock it. */
const roundsMax = 3;

export type WriteVersion = (write: Write) => Promise<WrittenRow>;

/** The parts writes work with. */
export interface WriteParts extends ReadParts {
  readonly writeVersion: WriteVersion;
}

/**
 * Writes versions of secrets; concurrent writes share one round trip. If a write is refused (wrong cas, or the secret was changed
 * or locked by another transaction), it is repeated with the secret locked, and that result is final.
 *
 * @throws AppError `bad-request` with the reason of a refusal, `not-found` when the mount was removed in the meantime
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

/** Writes a version inside a transaction that has locked the secret. */
export async function writeLockedVersion(tx: Kysely<Database>, version: NewVersion): Promise<WrittenRow> {
  const written = await insertVersion(tx, version);
  if (written === undefined) throw refused(version);
  return written;
}

/** Locks the row of a secret until the transaction ends; undefined when it does not exist. */
export async function lockSecret(tx: Kysely<Database>, location: SecretLocation): Promise<LockedSecret | undefined> {
  const { rows } = await rowsOf(lockedSecretColumns)`
    select current_version, oldest_version, cas_required, custom_metadata from kv_secrets
     where mount_id = ${location.mountId}::uuid and path = ${location.path} for no key update`.execute(tx);
  return rows[0];
}

export type LockedSecret = RowOf<typeof lockedSecretColumns>;

const lockedSecretColumns = {
  current_version: int,
  oldest_version: int,
  cas_required: bool,
  /** Encrypted. */
  custom_metadata: nullable(bytea),
};

/** Builds a version to write. @throws AppError `bad-request` for data that is nested too deeply */
export async function newVersion({ store }: EngineParts, { mountId, path, data, cas, by }: Write): Promise<NewVersion> {
  const id = uuid();
  const sealed = await sealVersion(store.barrier, { mountId, path, id }, data, ['data']);
  return { mountId, path, id, data: sealed, cas, by };
}

async function insertLocked(tx: Kysely<Database>, version: NewVersion): Promise<WrittenRow> {
  for (let round = 0; round < roundsMax; round += 1) {
    const locked = await lockSecret(tx, version);
    const written = await insertVersion(tx, version);
    if (written !== undefined) return written;
    // No row to lock and yet refused: another transaction may have created the secret in between.
    if (locked !== undefined || (version.cas ?? 0) > 0) break;
  }
  throw refused(version);
}

const refused = ({ cas }: NewVersion): AppError =>
  badField('options.cas', cas === undefined ? casMissing : casMismatch);
