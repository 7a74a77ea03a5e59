import { moto } from './moto/trial.ts';
import type { Trial } from './trial.ts';

export const trials: readonly Trial[] = [moto];
