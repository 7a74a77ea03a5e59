import { operation, type Row } from '#path/contract/row.ts';
import { locationBelow, locationOf } from '../shared/secret-path.ts';
import { casOptions, path, secretData, secretDataOrNull, version } from './fields.ts';
import type { KvParts } from './parts.ts';
import { plan, planOfCurrent } from './read/deletion-plan.ts';
import { mayBeUnreadable } from './read/reply.ts';
import { readSecret } from './read/secret.ts';
import { deleteCurrent } from './versions/removal.ts';
import { patchSecret } from './write/patch.ts';
import { writeSecret } from './write/secret.ts';

/** `data/*path`: the versions of secrets. */
export function dataRow(parts: KvParts): Row {
  const patch = { path, data: secretData, options: casOptions };
  const write = { ...patch, data: secretDataOrNull };
  return {
    pattern: 'data/*path',
    help: 'Reads and writes secrets. Each write creates a new version; the oldest versions are removed (see config).',
    exists: (_input, context) => parts.exists(locationBelow(context, 'data/')),
    operations: {
      read: operation(
        { path, version },
        {
          summary: 'Read a version of a secret',
          replies: mayBeUnreadable,
          run: (input, context) => {
            const { version } = input;
            return readSecret(parts, { ...locationOf(context, input.path), version, hold: context.hold });
          },
        },
      ),
      write: operation(write, {
        summary: 'Write a new version of a secret',
        large: true,
        run: (input, context) => writeSecret(parts, locationOf(context, input.path), input, context.caller),
      }),
      patch: operation(patch, {
        summary: 'Write a new version by applying a merge patch to the current one',
        replies: mayBeUnreadable,
        large: true,
        run: (input, context) => patchSecret(parts, locationOf(context, input.path), input, context),
      }),
      delete: operation(
        { path, plan },
        {
          summary:
            'Delete the current version of a secret so that it can be undeleted, or show what becomes of its copies',
          // Clients send `versions` here too, but only `delete/` reads it.
          knownFieldsOnly: false,
          run: (input, context) => {
            const location = locationOf(context, input.path);
            return input.plan
              ? planOfCurrent(parts, location, context)
              : deleteCurrent(parts, location, context.caller);
          },
        },
      ),
    },
  };
}
