import { workerFunction } from '#app.ts';
import { openDriver } from '#destinations/cloud-a-sm/driver.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';

/** Syncs the pending associations of destinations of type `cloud-a-sm`. Woken by the doorbell queue of this type. */
export const handler = workerFunction({ definition, openDriver });
