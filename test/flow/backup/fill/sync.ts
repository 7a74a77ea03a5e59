import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { everyType } from '#test/support/flow/open-service.ts';
import { dataOf, done, type Filling } from './world.ts';

/** A destination of each type with a secret in it, and one destination of the same name in a namespace. */
export const sync: Filling = {
  tables: [
    'sync_config',
    'destinations',
    'associations',
    'association_counts',
    'sync_objects',
    'repo_host_apps',
    'markings',
    'lineage',
    'sync_attempts',
    'destination_results',
    'destination_drift',
    'sync_batches',
    'sync_batch_items',
    'sync_batch_secrets',
    'sync_plans',
    'sync_plan_destinations',
    'sync_plan_items',
    'sync_rules',
    'sync_rule_destinations',
    'sync_rule_work',
    'sync_sample_slots',
    'sync_samples',
    'sync_sample_spans',
    'sync_sample_sums',
  ],
  async fill(world) {
    const { service, kept } = world;
    await done(world, 'PATCH', 'sys/sync/config', { queue_capacity: 5_000 });
    for (const type of everyType) {
      const destination = await service.destination(type);
      const secret = await service.secret({ [type.replaceAll('-', '_')]: `pushed to ${type}` });
      await service.set(type, destination, secret);
      kept.set(`destination of ${type}`, destination);
      kept.set(`secret of ${type}`, secret);
      const body = service.fake(type).destination;
      await done(world, 'POST', `team/sys/sync/destinations/${type}/${destination}`, body);
    }
    const private_key = generateKeyPairSync('rsa', { modulusLength: 2_048 })
      .privateKey.export({ type: 'pkcs1', format: 'pem' })
      .toString();
    for (const namespace of ['', 'team/'])
      await done(world, 'POST', `${namespace}sys/sync/github-apps/app`, { app_id: 7, private_key });
    await service.untilQuiet();
    await service.sweep();
    // Canceled, so that the sweep of the restored service changes nothing.
    const batch = dataOf(await done(world, 'POST', 'sys/sync/batches', { action: 'remove', all: true }));
    await done(world, 'DELETE', `sys/sync/batches/${String(batch['id'])}`);
    const [first] = everyType;
    const at = `sys/sync/destinations/${first}/${kept.get(`destination of ${first}`)}/associations/set`;
    const set = dataOf(await done(world, 'POST', at, { mount: 'secret', secret_prefix: '/' }));
    await done(world, 'DELETE', `sys/sync/batches/${String(set['id'])}`);
    const template = { keep: true, secret_name_template: 'planned/{{ .SecretBaseName }}' };
    await done(world, 'POST', `sys/sync/destinations/${first}/${kept.get(`destination of ${first}`)}/plan`, template);
    // It selects nothing, so that the sweep of the restored service changes nothing.
    const destinations = [`${first}/${kept.get(`destination of ${first}`)}`];
    await done(world, 'POST', 'sys/sync/rules/ruled', { mount: 'secret', prefix: 'ruled/', destinations });
    await sql`insert into sync_rule_work (mount_id, secret_name) select mount_id, 'gone' from sync_rules`.execute(
      service.store.db,
    );
    await sql`insert into sync_sample_slots values (to_timestamp(0), 1, 2, true)`.execute(service.store.db);
    for (const table of ['sync_samples', 'sync_sample_spans'])
      await sql`insert into ${sql.table(table)} values ('root', to_timestamp(0), ${everyType[0]}, 'a', 1, 2, 3, 4, '{"name": 4}', 5)`.execute(
        service.store.db,
      );
    await sql`insert into sync_sample_sums
              values ('root', 300, to_timestamp(0), ${everyType[0]}, '', 1, 2, 3, 4, 5, '{"name": 4}')`.execute(
      service.store.db,
    );
    await sql`insert into destination_drift (destination_id, due_at)
              select min(id), now() + interval '1 day' from destinations`.execute(service.store.db);
    // The state after a process died behind a change of a destination; its associations are all newer.
    await sql`insert into markings (destination_id, reason, forced, association_max)
              select min(id), 'destination', false, 0 from destinations`.execute(service.store.db);
  },
};
