import { workerFunction } from '#app.ts';
import { openDriver } from '#destinations/workspace-vars/driver.ts';
import { definition } from '#destinations/workspace-vars/index.ts';

/** Syncs the pending associations of destinations of type `workspace-vars`. Woken by the doorbell queue of this type. */
export const handler = workerFunction({ definition, openDriver });
