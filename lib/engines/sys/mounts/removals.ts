import { operation, type Row } from '../../../path/contract/row.ts';
import type { MountParts } from './parts.ts';

/** `sys/removals`: mounts that are disabled and whose content is not gone yet. */
export const removalsRow = ({ mounts }: MountParts): Row => ({
  pattern: 'removals',
  help: 'Shows the mounts that were disabled and whose content is still being removed.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Show the removals of mounts that are in progress.',
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
