import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { operation, type Row } from '#path/contract/row.ts';
import { durationText } from '#path/duration-text.ts';
import { bool, duration, integer } from '#path/fields.ts';
import type { Database } from '#store/tables.ts';
import type { EngineParts } from '../../contract.ts';
import { versionMax } from './rules/versions.ts';

/** Settings for all secrets of a mount. 0 and false mean not set. */
export interface KvSettings {
  readonly max_versions: number;
  readonly cas_required: boolean;
  /** Seconds. When negative, versions never expire, whatever their secret's own setting. */
  readonly delete_version_after: number;
}

const none: KvSettings = { max_versions: 0, cas_required: false, delete_version_after: 0 };

/** A duration; any negative one disables expiry. */
const signedDuration = () =>
  z.preprocess(
    (value) => (isNegative(value) ? -1 : value),
    z.union([z.literal(-1), duration().pipe(z.int().max(versionMax))], signedDurationRule),
  );

const signedDurationRule = 'expected a duration: seconds, or a text such as "30s" or "1h30m"; negative for never';

const isNegative = (value: unknown): boolean =>
  typeof value === 'number' ? value < 0 : typeof value === 'string' && /^\s*-\s*\d/.test(value);

const fields = {
  max_versions: integer()
    .pipe(z.int().min(0).max(versionMax))
    .optional()
    .meta({ description: 'Number of versions to keep of each secret; 0 for ten' }),
  cas_required: bool().optional().meta({ description: 'Whether all writes need options.cas' }),
  delete_version_after: signedDuration().optional().meta({
    description: 'Time after which new versions are deleted; 0 for never, negative for never for any secret',
  }),
};

/** `config` of a mount. A change takes effect with the next write of each secret. */
export function configRow({ store }: EngineParts): Row {
  return {
    pattern: 'config',
    help: 'Shows and changes the settings for all secrets of the mount.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Read the settings of the mount',
          async run(_input, context) {
            const settings = await loadSettings(store.db, context.mount.id);
            return { data: { ...settings, delete_version_after: durationText(settings.delete_version_after) } };
          },
        },
      ),
      write: operation(fields, {
        summary: 'Change settings of the mount; omitted fields keep their values',
        async run(input, context) {
          await saveSettings(store.db, context.mount.id, input);
          return undefined;
        },
      }),
    },
  };
}

export async function loadSettings(db: Kysely<Database>, mountId: string): Promise<KvSettings> {
  const query = db.selectFrom('kv_mounts').select(['max_versions', 'cas_required', 'delete_version_after']);
  return (await query.where('mount_id', '=', mountId).executeTakeFirst()) ?? none;
}

type Change = { readonly [Name in keyof KvSettings]?: KvSettings[Name] | undefined };

async function saveSettings(db: Kysely<Database>, mountId: string, change: Change): Promise<void> {
  const { max_versions = null, cas_required = null, delete_version_after = null } = change;
  await sql`
    insert into kv_mounts as k (mount_id, max_versions, cas_required, delete_version_after)
    values (${mountId}::uuid, coalesce(${max_versions}::int, 0), coalesce(${cas_required}::bool, false),
            coalesce(${delete_version_after}::int, 0))
    on conflict (mount_id) do update set
      max_versions = coalesce(${max_versions}::int, k.max_versions),
      cas_required = coalesce(${cas_required}::bool, k.cas_required),
      delete_version_after = coalesce(${delete_version_after}::int, k.delete_version_after)`.execute(db);
}
