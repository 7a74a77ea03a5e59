import { sql } from 'kysely';

/**
 * A common table expression body: the statement that reads it commits without waiting for the disk. Only for what is done
 * again when it was lost: a crash of the database may undo the last half second of claims and finishes; then associations
 * are dirty once more, the sweep queues them, and the same push comes to the same end. Changes of secrets, of associations
 * and intents never commit like this.
 */
export const asynchronousCommit = sql`select set_config('synchronous_commit', 'off', true)`;
