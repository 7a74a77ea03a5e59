import { workerFunction } from '#app.ts';
import { openDriver } from '#destinations/cloud-b-kv/driver.ts';
import { definition } from '#destinations/cloud-b-kv/index.ts';

/** Syncs the pending associations of destinations of type `cloud-b-kv`. Woken by the doorbell queue of this type. */
export const handler = workerFunction({ definition, openDriver });
