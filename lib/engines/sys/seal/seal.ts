import { operation, type Row } from '../../../path/contract/row.ts';
import type { SealRowParts } from './parts.ts';

/** `sys/seal`: all processes of the installation forget their keys. A process that is sealed has nothing to check a token by. */
export function sealRow({ seal }: SealRowParts): Row {
  return {
    pattern: 'seal',
    help: 'Seals the installation: within a second every process overwrites its keys, and refuses requests until it is unsealed. With the automatic seal, a process unseals itself when it is restarted.',
    operations: {
      write: operation(
        {},
        {
          summary: 'Seals every process of the installation.',
          knownFieldsOnly: true,
          rootNamespaceOnly: true,
          sudo: true,
          whileSealed: true,
          run: async () => {
            if (seal.state() === 'ready') await seal.sealEverywhere();
            return undefined;
          },
        },
      ),
    },
  };
}
