import { operation, type Row } from '../../../path/contract/row.ts';
import { pathText } from '../../../path/fields.ts';
import { definitionOf } from '../../definition.ts';
import type { SyncParts } from '../parts.ts';

/**
 * `sys/sync/destinations/:type/:name` of a type that there is not: each type has a row of its own, which is more specific.
 * So a mistyped type is refused in words, as the lists and the associations refuse it, and not as an unknown path.
 */
export function unknownTypeRow({ definitions }: SyncParts): Row {
  const known = definitions.map(({ type }) => type).join(', ');
  const fields = { type: pathText(`Destination type: one of ${known}`), name: pathText('Name of the destination') };
  const refusing = (summary: string) =>
    operation(fields, {
      summary,
      // What fields there are is for the type to say.
      ignores: ['purge', 'force_delete'],
      run: async ({ type }, { vocabulary }) => {
        definitionOf(definitions, type, vocabulary);
        return undefined;
      },
    });
  return {
    pattern: 'sync/destinations/:type/:name',
    help: `A destination. Its fields depend on its type, which is one of ${known}.`,
    exists: async () => false,
    operations: {
      read: refusing('Read a destination'),
      write: refusing('Create a destination, or replace it as a whole'),
      patch: refusing('Change the given fields of a destination'),
      delete: refusing('Delete a destination'),
    },
  };
}
