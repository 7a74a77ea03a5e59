import { pathText, text } from '../../../path/fields.ts';
import { operation, type Row } from '../../../path/row.ts';
import { type Migration, migrationId, migrationOf } from './migration.ts';
import type { MountParts } from './parts.ts';
import { newMountPath, removablePath } from './place.ts';

const fields = {
  from: text().meta({ description: 'Path of the mount' }),
  to: text().meta({ description: 'Its new path' }),
};

/** `sys/remount` and `sys/remount/status/:migration_id`. The mount has moved when the reply is there. */
export function remountRows({ mounts, changed }: MountParts): readonly Row[] {
  const move = operation(fields, {
    summary: 'Move a mount.',
    sudo: true,
    async run(input) {
      const migration = { from: removablePath(input.from), to: newMountPath(input.to) };
      const warnings = await mounts.move(migration.from, migration.to, changed);
      return { data: { migration_id: migrationId(migration) }, warnings, flat: true };
    },
  });
  return [
    { pattern: 'remount', help: 'Moves a mount with its data to another path.', operations: { write: move } },
    statusRow,
  ];
}

/** Clients wait for the end of a move by asking until they read `success`. */
const statusRow: Row = {
  pattern: 'remount/status/:migration_id',
  help: 'Tells how far a move has come: a move whose reply was sent has ended.',
  operations: {
    read: operation(
      { migration_id: pathText('What the move has answered') },
      {
        summary: 'The state of a move.',
        async run({ migration_id }) {
          const migration = migrationOf(migration_id);
          return migration && { data: { migration_id, migration_info: ended(migration) } };
        },
      },
    ),
  },
};

const ended = ({ from, to }: Migration) => ({ source_mount: from, target_mount: to, status: 'success' });
