import { dataOf, done, type Filling, keptIn, type World } from './world.ts';

/** Entities and groups with members and aliases, and an entity that another one took in. */
export const identity: Filling = {
  tables: [
    'entities',
    'entity_aliases',
    'merged_entities',
    'identity_groups',
    'group_entities',
    'group_groups',
    'group_aliases',
  ],
  async fill(world) {
    const ada = keptIn(world, 'entity of ada');
    const inner = await made(world, 'identity/group', { name: 'inner', member_entity_ids: [ada], policies: ['reads'] });
    await made(world, 'identity/group', { name: 'outer', member_group_ids: [inner] });
    const canonical_id = await made(world, 'identity/group', { name: 'external', type: 'external' });
    const mount_accessor = keptIn(world, 'accessor of people');
    await made(world, 'identity/group-alias', { name: 'admins', mount_accessor, canonical_id });
    const twin = await made(world, 'identity/entity', { name: 'twin', metadata: { a: 'b' } });
    await done(world, 'POST', 'identity/entity/merge', { from_entity_ids: [twin], to_entity_id: ada });
    await done(world, 'POST', 'team/identity/entity', { name: 'twin' });
  },
};

const made = async (world: World, path: string, body: object): Promise<string> =>
  String(dataOf(await done(world, 'POST', path, body))['id']);
