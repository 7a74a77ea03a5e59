import { sweepFunction } from '../lib/app.ts';

/** Called by a timer: re-queues what was lost, expires versions and tokens, finishes purges, and sends notifications beside that. */
export const handler = sweepFunction();
