import { replayFunction } from '../lib/app.ts';

/** Called by hand or by a timer: puts failed syncs back in the queue. Event: `{ type?, name?, sync_status?, cursor? }`. */
export const handler = replayFunction();
