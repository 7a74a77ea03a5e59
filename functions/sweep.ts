import { sweepFunction } from '#app.ts';

/** Called by a timer: re-queues lost jobs, expires versions and tokens, finishes purges, and sends notifications in parallel. */
export const handler = sweepFunction();
