import type { TableNotes } from '../note.ts';

export const secrets: TableNotes = {
  cubbyhole: {
    about: 'Secrets that belong to one token and are deleted with it.',
    columns: { data: 'Sealed JSON object. Additional data: `cubbyhole/<token_hash in hex>/<path>`.' },
  },
  kv_mounts: {
    about: 'The configuration of a KV v2 mount. 0 and false mean: not set.',
    columns: { delete_version_after: 'Seconds; negative: never.' },
  },
  kv_secrets: {
    about: 'Secrets of both versions of KV. Those of version 1 have one version each.',
    columns: {
      custom_metadata: 'Sealed JSON object. Additional data: `kv_secrets/<mount_id>/<path>`.',
      revision:
        'Grows with every change of the row: a statement that waited for the row sees that its snapshot is older.',
    },
  },
  kv_versions: {
    columns: {
      id: 'Random; binds the sealed data to this row.',
      data: 'Sealed JSON text; null once destroyed. Additional data: `kv_versions/<mount_id>/<path>/<id>`.',
      deletion_time:
        'May be in the future (`delete_version_after`). A version is deleted when this is set and not in the future.',
      deleted_by: 'Also null for a version that was deleted because its time was up.',
      deletion_seen: 'The sweep has notified the sync of a deletion that came with time.',
    },
  },
};
