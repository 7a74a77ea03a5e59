import type { Store } from '../store/store.ts';
import { finishRemovals } from './organizations/remove.ts';
import { dropExpiredTokens } from './tokens/store.ts';

/** What the workspace service does without being asked, at most so much of each kind. */
export async function sweepWorkspaces(store: Pick<Store, 'db'>, countMax: number): Promise<void> {
  await dropExpiredTokens(store, countMax);
  await finishRemovals(store, stepsMax);
}

/** Of removals of organizations, in one round of the sweep. */
const stepsMax = 20;
