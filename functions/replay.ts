import { replayFunction } from '#app.ts';

/** Puts failed syncs back in the queue; called by hand or by a timer. Event: `{ type?, name?, sync_status?, cursor? }`. */
export const handler = replayFunction();
