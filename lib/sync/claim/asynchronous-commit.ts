import { sql } from 'kysely';

/**
 * The body of a common table expression. A statement that reads it commits without waiting for the disk. Use it only for
 * work that is repeated after a loss: a database crash may undo the last half second of claims and finishes. The
 * associations are then dirty again, the sweep queues them, and the repeated push ends the same way. Changes of secrets
 * and associations, and intents, never commit like this.
 */
export const asynchronousCommit = sql`select set_config('synchronous_commit', 'off', true)`;
