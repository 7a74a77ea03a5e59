import { workerFunction } from '../lib/app.ts';
import { openDriver } from '../lib/destinations/repo-host/driver.ts';
import { definition } from '../lib/destinations/repo-host/index.ts';

/** Woken by the doorbell queue of this type: brings what waits for destinations of type `repo-host` in line. */
export const handler = workerFunction({ definition, openDriver });
