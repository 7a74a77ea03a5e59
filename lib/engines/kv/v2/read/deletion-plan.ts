import { type RawBuilder, sql } from 'kysely';
import type { EngineRowParts } from '#engines/contract.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { bool } from '#path/fields.ts';
import { int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { isReadable } from '../rules/versions.ts';

/** The field of deletions that only shows what would become of the copies. */
export const plan = bool().default(false).meta({
  description: 'Delete nothing: show which copies at destinations the deletion would remove or change',
  in: 'query',
});

/** The same field of deletions that have a body. */
export const planInBody = bool().default(false).meta({
  description: 'Change no version: show which copies at destinations that would remove or change',
});

type Parts = Pick<EngineRowParts, 'store' | 'copiesOf'>;

/** What becomes of the copies when the secret is deleted with all its versions. */
export async function planOfSecret({ copiesOf }: Parts, location: SecretLocation, context: RequestContext) {
  return planned(await copiesOf(location.mountId, location.path, context), 'remove');
}

/** What becomes of the copies when the current version is deleted: they then have the version before it, if it can be read. */
export const planOfCurrent = (parts: Parts, location: SecretLocation, context: RequestContext): Promise<Reply> =>
  planOfEnding(parts, location, sql`v.version = s.current_version`, context);

/** What becomes of the copies when these versions can no longer be read. */
export const planOfVersions = (
  parts: Parts,
  location: SecretLocation,
  numbers: readonly number[],
  context: RequestContext,
): Promise<Reply> => planOfEnding(parts, location, sql`v.version = any(${numbers}::int[])`, context);

/** Copies have the last version that can be read. */
async function planOfEnding(
  parts: Parts,
  location: SecretLocation,
  ends: RawBuilder<unknown>,
  context: RequestContext,
): Promise<Reply> {
  const { now, remaining } = await lastReadable(parts, location, ends);
  const copies = await parts.copiesOf(location.mountId, location.path, context);
  if (remaining === now) return planned(copies, 'keep');
  return remaining === null ? planned(copies, 'remove') : planned(copies, 'update', remaining);
}

const planned = (copies: object, action: 'remove' | 'update' | 'keep', version: number | null = null): Reply => ({
  data: { plan: true, action, version, ...copies },
});

/** The last version that can be read now, and once those that `ends` names have ended. */
async function lastReadable({ store }: Parts, { mountId, path }: SecretLocation, ends: RawBuilder<unknown>) {
  const { rows } = await rowsOf({ now: nullable(int), remaining: nullable(int) })`
    select max(v.version) as now, max(v.version) filter (where not ${ends}) as remaining from kv_secrets s
      join kv_versions v on v.mount_id = s.mount_id and v.path = s.path and v.version >= s.oldest_version
     where s.mount_id = ${mountId}::uuid and s.path = ${path} and v.data is not null and ${isReadable}`.execute(
    store.db,
  );
  return rows[0] ?? { now: null, remaining: null };
}
