import { workerFunction } from '../lib/app.ts';
import { openDriver } from '../lib/destinations/cloud-c-sm/driver.ts';
import { definition } from '../lib/destinations/cloud-c-sm/index.ts';

/** Woken by the doorbell queue of this type: brings what waits for destinations of type `cloud-c-sm` in line. */
export const handler = workerFunction({ definition, openDriver });
