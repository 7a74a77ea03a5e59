import type { EngineRowParts } from '#engines/contract.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { bool } from '#path/fields.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { SecretLocation } from '../../shared/secret-path.ts';
import { isReadable } from '../rules/versions.ts';

/** The field of deletions that only shows what would become of the copies. */
export const plan = bool().default(false).meta({
  description: 'Delete nothing: show which copies at destinations the deletion would remove or change',
  in: 'query',
});

type Parts = Pick<EngineRowParts, 'store' | 'copiesOf'>;

/** What becomes of the copies when the secret is deleted with all its versions. */
export async function planOfSecret({ copiesOf }: Parts, location: SecretLocation, context: RequestContext) {
  return planned(await copiesOf(location.mountId, location.path, context), 'remove');
}

/** What becomes of the copies when the current version is deleted: they then have the version before it, if it can be read. */
export async function planOfCurrent(parts: Parts, location: SecretLocation, context: RequestContext): Promise<Reply> {
  const { isCurrent, before } = await readableVersions(parts, location);
  const copies = await parts.copiesOf(location.mountId, location.path, context);
  if (!isCurrent) return planned(copies, 'keep');
  return before === undefined ? planned(copies, 'remove') : planned(copies, 'update', before);
}

const planned = (copies: object, action: 'remove' | 'update' | 'keep', version: number | null = null): Reply => ({
  data: { plan: true, action, version, ...copies },
});

/** Whether the current version can be read, and the version before it that can. */
async function readableVersions({ store }: Parts, { mountId, path }: SecretLocation) {
  const { rows } = await rowsOf({ version: int, current: int })`
    select v.version, s.current_version as current from kv_secrets s
      join kv_versions v on v.mount_id = s.mount_id and v.path = s.path and v.version >= s.oldest_version
     where s.mount_id = ${mountId}::uuid and s.path = ${path} and v.data is not null and ${isReadable}
     order by v.version desc limit 2`.execute(store.db);
  const [last, ...earlier] = rows;
  return { isCurrent: last !== undefined && last.version === last.current, before: earlier[0]?.version };
}
