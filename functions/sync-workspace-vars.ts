import { workerFunction } from '../lib/app.ts';
import { openDriver } from '../lib/destinations/workspace-vars/driver.ts';
import { definition } from '../lib/destinations/workspace-vars/index.ts';

/** Woken by the doorbell queue of this type: brings what waits for destinations of type `workspace-vars` in line. */
export const handler = workerFunction({ definition, openDriver });
