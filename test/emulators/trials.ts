import { moto } from './moto/trial.ts';
import { deployHost, repositoryHost, secretManager } from './oracle/trials.ts';
import type { Trial } from './trial.ts';

export const trials: readonly Trial[] = [moto, repositoryHost, secretManager, deployHost];
