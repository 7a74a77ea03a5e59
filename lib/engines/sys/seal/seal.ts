import { operation, type Row } from '../../../path/contract/row.ts';
import type { SealRowParts } from './parts.ts';

/** `sys/seal`: forgets the keys of this process; the others go on. A process that is sealed has nothing to check a token by. */
export function sealRow({ seal }: SealRowParts): Row {
  return {
    pattern: 'seal',
    help: 'Seals this process: it overwrites its keys and answers no more until it is unsealed.',
    operations: {
      write: operation(
        {},
        {
          summary: 'Seals this process.',
          rootNamespaceOnly: true,
          sudo: true,
          whileSealed: true,
          run: async () => {
            if (seal.state() === 'ready') seal.sealNow();
            return undefined;
          },
        },
      ),
    },
  };
}
