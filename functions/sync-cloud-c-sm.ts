import { workerFunction } from '#app.ts';
import { openDriver } from '#destinations/cloud-c-sm/driver.ts';
import { definition } from '#destinations/cloud-c-sm/index.ts';

/** Syncs the pending associations of destinations of type `cloud-c-sm`. Woken by the doorbell queue of this type. */
export const handler = workerFunction({ definition, openDriver });
