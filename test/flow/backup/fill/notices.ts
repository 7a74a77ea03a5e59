import { sql } from 'kysely';
import { recordEvents } from '#notices/tell/record.ts';
import { done, type Filling } from './world.ts';

/** A webhook in the root and one in a namespace, an event with a message that is dead, and a destination whose state was told. */
export const notices: Filling = {
  tables: ['sync_notifications', 'sync_events', 'sync_deliveries', 'sync_told'],
  async fill(world) {
    const { store } = world.service;
    for (const namespace of ['', 'team/']) {
      const body = { url: 'https://hooks.example.com/keyferry', secret: 'the key of the webhook' };
      await done(world, 'POST', `${namespace}sys/sync/notifications/on-call`, body);
    }
    await store.transaction((tx) =>
      recordEvents(tx, 'root', [{ kind: 'queue.filling', details: { pending: 8, capacity: 10 } }]),
    );
    // The sweep of the restored service sends nothing.
    await sql`update sync_deliveries set state = 'dead'`.execute(store.db);
    await sql`update sync_notifications set turn_at = null`.execute(store.db);
    await sql`insert into sync_told (destination_id, circuit_told_at) select min(id), now() from destinations`.execute(
      store.db,
    );
  },
};
