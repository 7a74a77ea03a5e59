import { operation, type Row } from '#path/contract/row.ts';
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
          summary: `Show all mounts of ${title}s`,
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

/** `sys/removals`: disabled mounts whose content is still being removed. */
export const removalsRow = ({ mounts }: MountParts): Row => ({
  pattern: 'removals',
  help: 'Shows the disabled mounts whose content is still being removed.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Show the removals of mounts in progress',
        async run(_input, { namespace }) {
          const removals = await mounts.in(namespace).removals();
          const shown = removals.map(
            ({ accessor, removed_at, ...mount }) =>
              [accessor, { ...mount, removed_at: removed_at.toISOString() }] as const,
          );
          return { data: { removals: Object.fromEntries(shown) } };
        },
      },
    ),
  },
});
