import { uuid } from '../../../core/ids.ts';
import { text } from '../../../path/fields.ts';
import { operation, type Row } from '../../../path/row.ts';
import type { MountParts } from './parts.ts';
import { newMountPath, removablePath } from './place.ts';

const fields = {
  from: text().meta({ description: 'Path of the mount' }),
  to: text().meta({ description: 'Its new path' }),
};

/** `sys/remount`. The mount has moved when the reply is there. */
export function remountRow({ mounts, changed }: MountParts): Row {
  return {
    pattern: 'remount',
    help: 'Moves a mount with its data to another path.',
    operations: {
      write: operation(fields, {
        summary: 'Move a mount.',
        sudo: true,
        async run(input) {
          const warnings = await mounts.move(removablePath(input.from), newMountPath(input.to), changed);
          return { data: { migration_id: uuid() }, warnings, flat: true };
        },
      }),
    },
  };
}
