import { done, type Filling } from './world.ts';

/** Namespaces, mounts and secrets, with the same name in two namespaces. */
export const secrets: Filling = {
  tables: ['namespaces', 'mounts', 'mount_moves', 'revisions', 'kv_mounts', 'kv_secrets', 'kv_versions'],
  async fill(world) {
    await done(world, 'POST', 'sys/namespaces/team', { custom_metadata: { owner: 'ada' } });
    await done(world, 'POST', 'team/sys/namespaces/inner', {});
    for (const namespace of ['', 'team/', 'team/inner/']) {
      await done(world, 'POST', `${namespace}sys/mounts/same`, { type: 'kv', options: { version: '2' } });
      await done(world, 'POST', `${namespace}same/config`, { max_versions: 3 });
      for (const version of [1, 2])
        await done(world, 'POST', `${namespace}same/data/app`, { data: { where: `${namespace}root`, version } });
      await done(world, 'POST', `${namespace}same/metadata/app`, { custom_metadata: { owner: 'ada' } });
    }
    await done(world, 'POST', 'sys/mounts/first', { type: 'kv' });
    await done(world, 'POST', 'first/app', { plain: 'value' });
    await done(world, 'POST', 'sys/remount', { from: 'first', to: 'moved' });
  },
};
