import { type Kysely, type RawBuilder, sql } from 'kysely';
import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { Caller } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { type Dirty, markDirty, ofSecret } from '#store/outbox.ts';
import type { Database } from '#store/tables.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { locationOf } from '../../shared/secret-path.ts';
import { attributionText } from '../attribution.ts';
import { path, versions } from '../fields.ts';
import type { KvParts } from '../parts.ts';
import { planInBody, planOfVersions } from '../read/deletion-plan.ts';
import { replyAfter } from '../read/reply.ts';
import { deletionTime, mountSettings } from '../rules/versions.ts';
import { type LockedSecret, lockSecret } from '../write/write.ts';

/** `delete/`, `undelete/` and `destroy/` for versions by number. Unknown secrets and versions are skipped. */
export function removalRows(parts: KvParts): readonly Row[] {
  return [
    versionsRow(parts, {
      verb: 'delete',
      summary: 'Delete versions of a secret so that they can be undeleted',
      help: 'Marks versions as deleted. Their data stays and they can be undeleted.',
      none: 'No version number provided',
      operation: 'update',
      fields: endingFields,
      change: (location, numbers, by) => {
        return markDeleted(location, by, sql`v.version = any(${numbers}::int[])`);
      },
    }),
    versionsRow(parts, {
      verb: 'undelete',
      summary: 'Undelete versions of a secret',
      help: 'Makes deleted versions readable again.',
      none: 'No version number provided',
      operation: 'undelete',
      change: (location, numbers) => markUndeleted(location, numbers),
    }),
    versionsRow(parts, {
      verb: 'destroy',
      summary: 'Destroy versions of a secret',
      help: 'Removes the data of versions permanently. Their numbers stay.',
      none: 'no version number provided',
      fields: endingFields,
      change: markDestroyed,
    }),
  ];
}

/** Marks the current version as deleted. */
export async function deleteCurrent(
  parts: KvParts,
  location: SecretLocation,
  caller: Caller | undefined,
): Promise<Reply> {
  const by = attributionText(caller, 'delete');
  const change = ({ current_version }: LockedSecret) =>
    markDeleted(location, by, sql`v.version = ${current_version}::int`);
  const dirty = await changeVersions(parts, location, change, by);
  return replyAfter(parts, dirty);
}

type Statement = RawBuilder<unknown>;

const numberFields = { path, versions };
const endingFields = { ...numberFields, plan: planInBody };

interface VersionsSpec {
  readonly verb: string;
  readonly summary: string;
  readonly help: string;
  /** The error without version numbers. */
  readonly none: string;
  /** The operation recorded with the author; absent when the author is not recorded. */
  readonly operation?: 'update' | 'undelete';
  /** Those of a row that can end copies also have `plan`. */
  readonly fields?: typeof endingFields;
  readonly change: (location: SecretLocation, numbers: readonly number[], by: string) => Statement;
}

function versionsRow(
  parts: KvParts,
  { verb, summary, help, none, operation: kept, fields, change }: VersionsSpec,
): Row {
  const write = operation(fields ?? numberFields, {
    summary,
    knownFieldsOnly: true,
    async run(input, context) {
      if (input.versions.length === 0) throw badField('versions', none);
      const location = locationOf(context, input.path);
      // Numbers below 1 match no version; 0 stands for all of them.
      const numbers = input.versions.map((number) => Math.max(0, number));
      if ('plan' in input && input.plan === true) return planOfVersions(parts, location, numbers, context);
      const by = attributionText(context.caller, kept ?? 'update');
      const changed = changeVersions(parts, location, () => change(location, numbers, by), kept && by);
      return replyAfter(parts, await changed);
    },
  });
  return { pattern: `${verb}/*path`, help, operations: { write } };
}

/**
 * Locks the secret, changes its versions, and marks its associations dirty if any version changed. It then records `by` as the
 * author of the last change.
 */
function changeVersions(
  { store }: KvParts,
  location: SecretLocation,
  change: (secret: LockedSecret) => Statement,
  by: string | undefined,
): Promise<readonly Dirty[]> {
  return store.transaction(async (tx: Kysely<Database>) => {
    const secret = await lockSecret(tx, location);
    if (secret === undefined) return [];
    const { rows } = await change(secret).execute(tx);
    if (rows.length === 0) return [];
    if (by !== undefined) await keepAuthor(tx, location, by);
    return (await markDirty(ofSecret(location.mountId, location.path)).execute(tx)).rows;
  });
}

async function keepAuthor(tx: Kysely<Database>, { mountId, path: secret }: SecretLocation, by: string): Promise<void> {
  await sql`update kv_secrets set last_updated_by = ${by}::jsonb
    where mount_id = ${mountId}::uuid and path = ${secret}`.execute(tx);
}

/** Rows below `oldest_version` no longer count, although another writer may not have removed them yet. */
const inSecret = ({ mountId, path: secret }: SecretLocation): RawBuilder<unknown> => sql`
  s.mount_id = ${mountId}::uuid and s.path = ${secret} and v.mount_id = s.mount_id and v.path = s.path
  and v.version >= s.oldest_version and not v.destroyed`;

const markDeleted = (location: SecretLocation, by: string, which: RawBuilder<unknown>): Statement => sql`
  update kv_versions v set deletion_time = statement_timestamp(), deletion_seen = true, deleted_by = ${by}::jsonb
    from kv_secrets s
   where ${inSecret(location)} and ${which} and (v.deletion_time is null or v.deletion_time > statement_timestamp())
  returning 1`;

const markUndeleted = (location: SecretLocation, numbers: readonly number[]): Statement => sql`
  with settings as (${mountSettings(location.mountId)})
  update kv_versions v set deletion_time = ${deletionTime(sql`statement_timestamp()`)}, deletion_seen = false,
         deleted_by = null
    from kv_secrets s cross join settings
   where ${inSecret(location)} and v.version = any(${numbers}::int[])
  returning 1`;

const markDestroyed = (location: SecretLocation, numbers: readonly number[]): Statement => sql`
  update kv_versions v set destroyed = true, data = null, deletion_seen = true from kv_secrets s
   where ${inSecret(location)} and v.version = any(${numbers}::int[])
  returning 1`;
