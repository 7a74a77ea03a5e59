import { pathText } from '../../../path/fields.ts';
import { operation, type Row } from '../../../path/row.ts';
import { description, options as optionsField, settings } from './fields.ts';
import { versionsText } from './kind.ts';
import type { MountParts } from './parts.ts';
import { readTuning, writeTuning } from './tuning.ts';

const path = pathText('Path of the mount');

/** `sys/mounts/:path/tune`. */
export function tuneRow(parts: MountParts): Row {
  const options = optionsField(versionsText(parts.engines));
  return {
    pattern: 'mounts/:path/tune',
    help: 'Shows and changes the settings of a mount. options.version raises the version of its engine.',
    operations: {
      read: operation(
        { path },
        { summary: 'Show the settings of a mount.', run: (input, context) => readTuning(parts, input.path, context) },
      ),
      write: operation(
        { path, description, options, ...settings },
        {
          summary: 'Change settings of a mount.',
          run: (input, context) => writeTuning(parts, input.path, input, context),
        },
      ),
    },
  };
}
