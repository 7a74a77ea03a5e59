import { enrolled, methodOf, wrongCode } from '../../auth/mfa/setup.ts';
import { authOf, done, type Filling, type World } from './world.ts';

const tables = [
  'mfa_methods',
  'mfa_secrets',
  'mfa_enforcements',
  'mfa_enforcement_methods',
  'mfa_pending_logins',
  'mfa_used_codes',
  'mfa_attempts',
];

/** A second factor: one login that waits for its code, one whose code was used, one whose code was wrong. */
export const mfa: Filling = {
  tables,
  async fill(world) {
    const { service } = world;
    const names = ['grace', 'alan', 'joan'];
    const ids: string[] = [];
    for (const name of names) {
      await done(world, 'POST', `auth/people/users/${name}`, { password: `password of ${name}` });
      ids.push(String((await login(world, name))['entity_id']));
    }
    const method = await methodOf(service);
    const [grace, alan, joan] = await Promise.all(ids.map((id) => enrolled(service, method.id, id)));
    await done(world, 'POST', 'identity/mfa/login-enforcement/people', {
      mfa_method_ids: [method.id],
      identity_entity_ids: ids,
    });
    const waiting = await requestOf(world, 'grace');
    world.kept.set('pending login', waiting);
    world.kept.set('pending login method', method.id);
    world.kept.set('pending login code', String(grace?.generate()));
    await done(world, 'PUT', 'sys/mfa/validate', {
      mfa_request_id: await requestOf(world, 'alan'),
      mfa_payload: { [method.id]: [alan?.generate()] },
    });
    if (joan === undefined) throw new Error('there are three');
    await service.ask('PUT', 'sys/mfa/validate', {
      mfa_request_id: await requestOf(world, 'joan'),
      mfa_payload: { [method.id]: [wrongCode(joan)] },
    });
  },
};

const login = async (world: World, name: string) =>
  authOf(
    await done(
      world,
      'POST',
      `auth/people/login/${name}`,
      { password: `password of ${name}` },
      {
        'x-service-token': undefined,
      },
    ),
  );

const requestOf = async (world: World, name: string): Promise<string> =>
  String(Object((await login(world, name))['mfa_requirement'])['mfa_request_id']);
