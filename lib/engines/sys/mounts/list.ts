import { operation, type Row } from '../../../path/contract/row.ts';
import type { MountKind } from './kind/kind.ts';
import type { MountParts } from './parts.ts';
import { showMount } from './view.ts';

/** `sys/mounts` and `sys/auth`. */
export function mountListRow({ mounts }: MountParts, { segment, title, owns, prefix }: MountKind): Row {
  return {
    pattern: segment,
    help: `Shows all mounts of ${title}s.`,
    operations: {
      read: operation(
        {},
        {
          summary: `Show all mounts of ${title}s.`,
          async run(_input, { namespace }) {
            const shown = (await mounts.in(namespace).list()).filter(({ path }) => owns(path));
            const data = shown.map((mount) => [mount.path.slice(prefix.length), showMount(mount)] as const);
            return { data: Object.fromEntries(data), flat: true };
          },
        },
      ),
    },
  };
}
