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
