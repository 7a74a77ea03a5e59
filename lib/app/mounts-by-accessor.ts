import type { Mount } from '../path/row.ts';

/** Mounts by the name that aliases know them by. */
export const byAccessor = (mounts: readonly Mount[]): ReadonlyMap<string, Mount> =>
  new Map(mounts.map((mount) => [mount.accessor, mount]));
