import { sql } from 'kysely';
import { authOf, done, type Filling } from './world.ts';

/** Tokens with leases, their cubbyholes, token roles, and a wrapped reply. */
export const tokens: Filling = {
  tables: ['tokens', 'token_roles', 'token_tidy', 'cubbyhole', 'wrapped_replies'],
  async fill(world) {
    await done(world, 'POST', 'auth/token/roles/app', { allowed_policies: ['reads'] });
    const child = authOf(await done(world, 'POST', 'auth/token/create', { policies: ['reads'], ttl: '1h' }));
    world.kept.set('token with a lease', String(child['client_token']));
    await done(
      world,
      'POST',
      'cubbyhole/notes',
      { note: 'mine' },
      { 'x-service-token': String(child['client_token']) },
    );
    const wrapped = await done(world, 'POST', 'sys/wrapping/wrap', { inside: 'value' }, { 'x-service-wrap-ttl': '1h' });
    world.kept.set('wrapping token', String(Object(wrapped['wrap_info'])['token']));
    // The state during a tidy run.
    await sql`insert into token_tidy (run, held_until) values (gen_random_uuid(), now())`.execute(
      world.service.store.db,
    );
  },
};
