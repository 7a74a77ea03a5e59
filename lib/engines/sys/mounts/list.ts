import { operation, type Row } from '../../../path/row.ts';
import { isSecretMount, type MountParts } from './parts.ts';
import { showMount } from './view.ts';

/** `sys/mounts`. */
export function mountListRow({ mounts }: MountParts): Row {
  return {
    pattern: 'mounts',
    help: 'Shows all mounts of secrets engines.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show all mounts of secrets engines.',
          async run(_input, { namespace }) {
            const shown = (await mounts.in(namespace).list()).filter(isSecretMount);
            return { data: Object.fromEntries(shown.map((mount) => [mount.path, showMount(mount)])), flat: true };
          },
        },
      ),
    },
  };
}
