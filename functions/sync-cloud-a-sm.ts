import { workerFunction } from '../lib/app.ts';
import { openDriver } from '../lib/destinations/cloud-a-sm/driver.ts';
import { definition } from '../lib/destinations/cloud-a-sm/index.ts';

/** Woken by the doorbell queue of this type: brings what waits for destinations of type `cloud-a-sm` in line. */
export const handler = workerFunction({ definition, openDriver });
