import { workerFunction } from '../lib/app.ts';
import { openDriver } from '../lib/destinations/deploy-host-project/driver.ts';
import { definition } from '../lib/destinations/deploy-host-project/index.ts';

/** Woken by the doorbell queue of this type: brings what waits for destinations of type `deploy-host-project` in line. */
export const handler = workerFunction({ definition, openDriver });
