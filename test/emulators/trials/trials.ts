import { lowkeyVault } from '../lowkey-vault/trial.ts';
import { moto } from '../moto/trial.ts';
import { deployHost, repositoryHost, secretManager } from '../oracle/trials.ts';
import { secretManagerEmulator } from '../secret-manager/trial.ts';
import type { Trial } from './trial.ts';

export const trials: readonly Trial[] = [
  moto,
  lowkeyVault,
  secretManagerEmulator,
  repositoryHost,
  secretManager,
  deployHost,
];

/** Types without a trial, with the reason. */
export const untried: ReadonlyMap<string, string> = new Map([
  [
    'workspace-vars',
    'no description of its API is published, and no compatible host could be installed as a package (otfd was tried as a Go module)',
  ],
]);
