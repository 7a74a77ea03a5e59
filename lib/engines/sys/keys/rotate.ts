import { operation, type Row } from '../../../path/contract/row.ts';
import type { SealRowParts } from '../seal/parts.ts';

/** `sys/key-status`, `sys/rotate` and `sys/rotate/keyring`: the keys under which the barrier seals values. */
export function rotateRows({ seal }: Pick<SealRowParts, 'seal'>): readonly Row[] {
  const rotate = operation(
    {},
    {
      summary: 'Adds a key to the keyring, under which new values are sealed.',
      rootNamespaceOnly: true,
      sudo: true,
      run: async () => {
        await seal.rotate();
        return undefined;
      },
    },
  );
  const help = 'Adds a key to the keyring. Values that are stored already open as before.';
  return [
    keyStatusRow(seal),
    { pattern: 'rotate', help, operations: { write: rotate } },
    { pattern: 'rotate/keyring', help, operations: { write: rotate } },
  ];
}

function keyStatusRow(seal: SealRowParts['seal']): Row {
  return {
    pattern: 'key-status',
    help: 'Tells of the newest key of the keyring; the count of encryptions is approximate.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Term, age and use of the newest key.',
          rootNamespaceOnly: true,
          run: async () => {
            const { term, installTime, encryptions } = seal.keyStatus();
            return { data: { term, install_time: installTime.toISOString(), encryptions }, flat: true };
          },
        },
      ),
    },
  };
}
