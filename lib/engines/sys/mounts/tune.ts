import { operation, type Row } from '../../../path/contract/row.ts';
import { pathText } from '../../../path/fields.ts';
import type { MountKind } from './kind/kind.ts';
import { versionsText } from './kind/version.ts';
import type { MountParts } from './parts.ts';
import { description, keptByOthers, options as optionsField } from './settings/fields.ts';
import { readTuning, writeTuning } from './tuning.ts';

const path = pathText('Path of the mount');

/** `sys/mounts/:path/tune` and `sys/auth/:path/tune`. */
export function tuneRow(parts: MountParts, kind: MountKind): Row {
  const { segment, marks, settings, types } = kind;
  const options = optionsField(versionsText(types));
  return {
    pattern: `${segment}/:path/tune`,
    help: 'Shows and changes the settings of a mount. options.version raises the version of its engine.',
    operations: {
      read: operation(
        { path },
        {
          summary: 'Show the settings of a mount.',
          ...marks,
          run: (input, context) => readTuning(parts, kind, input.path, context),
        },
      ),
      write: operation(
        { path, description, options, ...settings },
        {
          summary: 'Change settings of a mount.',
          ignores: keptByOthers,
          ...marks,
          run: (input, context) => writeTuning(parts, kind, input, context),
        },
      ),
    },
  };
}
