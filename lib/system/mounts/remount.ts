import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { pathText, text } from '#path/fields.ts';
import type { MountKind } from './kind/kind.ts';
import { mountPath } from './kind/path.ts';
import type { MountParts } from './parts.ts';

const fields = {
  from: text().meta({ description: 'Current path of the mount' }),
  to: text().meta({ description: 'New path of the mount' }),
};

/** `sys/remount` and `sys/remount/status/:migration_id`. The move is complete when the reply arrives. */
export function remountRows({ mounts, changed }: MountParts, kinds: readonly MountKind[]): readonly Row[] {
  const move = operation(fields, {
    summary: 'Move a mount',
    knownFieldsOnly: true,
    sudo: true,
    async run(input, { namespace, signal }) {
      const [from, to] = [mountPath(input.from), mountPath(input.to)];
      const kind = kinds.find((one) => one.owns(from));
      if (kind === undefined || !kind.owns(to))
        throw badField('to', 'cannot remount an auth method as a secrets engine');
      const source = kind.removed(from.slice(kind.prefix.length), 'from');
      const target = kind.created(to.slice(kind.prefix.length), 'to');
      const { id, warnings } = await mounts.in(namespace).move(source, target, changed);
      await kind.revoke(namespace, source, signal);
      return { data: { migration_id: id }, warnings: [queued(id), ...warnings], flat: true };
    },
  });
  return [
    { pattern: 'remount', help: 'Moves a mount with its data to another path.', operations: { write: move } },
    statusRow(mounts),
  ];
}

/** The text from which clients of the API family read that they must wait for the move. */
const queued = (id: string): string =>
  `Mount move has been queued. Progress will be reported by sys/remount/status/${id}`;

/** Clients wait for a move by polling until the status is `success`. */
const statusRow = (mounts: MountParts['mounts']): Row => ({
  pattern: 'remount/status/:migration_id',
  help: 'Shows the state of a move. A move whose reply was sent is complete.',
  operations: {
    read: operation(
      { migration_id: pathText('The id that the move returned') },
      {
        summary: 'Show the state of a move',
        async run({ migration_id }, { namespace }) {
          const move = await mounts.in(namespace).findMove(migration_id);
          return move && { data: { migration_id, migration_info: ended(move) } };
        },
      },
    ),
  },
});

const ended = ({ from, to }: { readonly from: string; readonly to: string }) => ({
  source_mount: from,
  target_mount: to,
  status: 'success',
});
