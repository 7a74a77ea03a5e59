import { generateKeyPairSync } from 'node:crypto';
import { sql } from 'kysely';
import { everyType } from '../../../support/flow/open-service.ts';
import { done, type Filling } from './world.ts';

/** A destination of each type with a secret in it; one destination of the same name in a namespace. */
export const sync: Filling = {
  tables: ['sync_config', 'destinations', 'associations', 'sync_objects', 'repo_host_apps', 'markings', 'lineage'],
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
    // As a process leaves it that dies after the change of a destination; its associations are all newer.
    await sql`insert into markings (destination_id, reason, forced, association_max)
              select min(id), 'destination', false, 0 from destinations`.execute(service.store.db);
  },
};
