import { workerFunction } from '#app.ts';
import { openDriver } from '#destinations/deploy-host-project/driver.ts';
import { definition } from '#destinations/deploy-host-project/index.ts';

/** Syncs the pending associations of destinations of type `deploy-host-project`. Woken by the doorbell queue of this type. */
export const handler = workerFunction({ definition, openDriver });
