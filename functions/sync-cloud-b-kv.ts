import { workerFunction } from '../lib/app.ts';
import { openDriver } from '../lib/destinations/cloud-b-kv/driver.ts';
import { definition } from '../lib/destinations/cloud-b-kv/index.ts';

/** Woken by the doorbell queue of this type: brings what waits for destinations of type `cloud-b-kv` in line. */
export const handler = workerFunction({ definition, openDriver });
