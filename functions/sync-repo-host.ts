import { workerFunction } from '#app.ts';
import { openDriver } from '#destinations/repo-host/driver.ts';
import { definition } from '#destinations/repo-host/index.ts';

/** Syncs the pending associations of destinations of type `repo-host`. Woken by the doorbell queue of this type. */
export const handler = workerFunction({ definition, openDriver });
