import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { listFolder, pageFields } from '#engines/folder.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, duration, integer } from '#path/fields.ts';
import { folderPath, locationBelow, locationOf, secretPaths } from '../../shared/secret-path.ts';
import { object, path } from '../fields.ts';
import type { KvParts } from '../parts.ts';
import { plan, planOfSecret } from '../read/deletion-plan.ts';
import { versionMax } from '../rules/versions.ts';
import { patchMetadata, writeMetadata } from './change.ts';
import { deleteSecret, readMetadata } from './store.ts';

const settings = {
  max_versions: integer()
    .pipe(z.int().min(0).max(versionMax))
    .nullable()
    .optional()
    .meta({ description: "Number of versions to keep; 0 for the mount's setting" }),
  cas_required: bool().nullable().optional().meta({ description: 'Whether writes need options.cas' }),
  delete_version_after: duration()
    .pipe(z.int().max(versionMax))
    .nullable()
    .optional()
    .meta({ description: "Time after which a new version is deleted; 0 for the mount's setting" }),
  custom_metadata: object().nullable().optional().meta({ description: 'String pairs that describe the secret' }),
};

/** `metadata/*path`: settings and version history of secrets, and the names in folders. */
export function metadataRow(parts: KvParts): Row {
  return {
    pattern: 'metadata/*path',
    help: 'Shows and changes settings and history of a secret; lists folders; deletes a secret with all its versions.',
    exists: (_input, context) => parts.exists(locationBelow(context, 'metadata/')),
    operations: {
      read: operation(
        { path },
        {
          summary: 'Read the settings and the versions of a secret',
          run: (input, context) => readMetadata(parts, locationOf(context, input.path)),
        },
      ),
      list: operation(
        { path, ...pageFields },
        {
          summary: 'List the names in a folder',
          run: ({ path: folder, ...page }, { mount }) =>
            listFolder(parts.store, secretPaths(mount.id), folderPath(folder), page),
        },
      ),
      ...metadataChanges(parts),
    },
  };
}

function metadataChanges(parts: KvParts): Row['operations'] {
  const fields = { path, ...settings };
  return {
    write: operation(fields, {
      summary: 'Set the settings of a secret; create the secret if it does not exist',
      async run({ path: given, ...change }, context) {
        if (given === '') throw badField('path', 'missing path');
        return writeMetadata(parts, locationOf(context, given), change, context);
      },
    }),
    patch: operation(fields, {
      summary: 'Change settings of a secret, custom metadata by merge patch',
      async run({ path: given, ...change }, context) {
        if (given === '') throw badField('path', 'missing path');
        return patchMetadata(parts, locationOf(context, given), change, context);
      },
    }),
    delete: operation(
      { path, plan },
      {
        summary: 'Delete a secret and all its versions permanently, or show what becomes of its copies',
        run: (input, context) => {
          const location = locationOf(context, input.path);
          return input.plan ? planOfSecret(parts, location, context) : deleteSecret(parts, location);
        },
      },
    ),
  };
}
