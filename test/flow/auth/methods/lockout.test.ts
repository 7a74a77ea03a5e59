import bcrypt from 'bcrypt';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { ask } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';
import { patience } from '#test/support/measures/patience.ts';

// Wrong credentials lock a user out, counted exactly over all processes.
const service = serviceOf([]);
const other = otherProcessOf(service);

const attempts = 100;
/** For passwords, which take time to compare. */
const passwordAttempts = 12;
const right = { password: 'right' };

/** The number of replies by status to concurrent logins, half of them at each process. */
async function statuses(path: string, bodies: readonly object[]): Promise<Readonly<Record<number, number>>> {
  const answers = await Promise.all(
    bodies.map((body, index) =>
      ask({ address: index % 2 === 0 ? service.address : other.address, token: '', method: 'POST', path, body }),
    ),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const times = (count: number, body: object): readonly object[] => Array.from({ length: count }, () => body);

const userpass = async (mount: string, lockout?: object) => {
  const config = lockout === undefined ? {} : { config: { user_lockout_config: lockout } };
  expect((await service.ask('POST', `sys/auth/${mount}`, { type: 'userpass', ...config })).status).toBe(204);
};
const password_hash = await bcrypt.hash('right', 4);
const user = (mount: string, name: string) => service.ask('POST', `auth/${mount}/users/${name}`, { password_hash });
const login = (mount: string, name: string, password: string) =>
  service.ask('POST', `auth/${mount}/login/${name}`, { password });
const accessorOf = async (mount: string) =>
  ((await service.ask('GET', `sys/auth/${mount}`)).body['data'] as { accessor: string }).accessor;

beforeAll(async () => {
  await userpass('people');
  await service.ask('POST', 'sys/auth/machines', { type: 'approle' });
});

describe('of concurrent wrong logins at two processes', () => {
  test('five of a user get an answer, and then not even a correct one does', async () => {
    await user('people', 'ann');
    expect(await statuses('auth/people/login/ann', times(passwordAttempts, { password: 'wrong' }))).toEqual({
      400: 5,
      403: passwordAttempts - 5,
    });
    expect((await login('people', 'ann', 'right')).status).toBe(403);
    expect((await login('people', 'ANN', 'right')).status).toBe(403);
  });

  test('five of a role get an answer', async () => {
    await service.ask('POST', 'auth/machines/role/app', { role_id: 'app' });
    const wrong = times(attempts, { role_id: 'app', secret_id: 'wrong' });
    expect(await statuses('auth/machines/login', wrong)).toEqual({ 400: 5, 403: attempts - 5 });
  });

  test('five with an unknown name get an answer, and then none until a user has the name', async () => {
    const wrong = times(passwordAttempts, { password: 'wrong' });
    expect(await statuses('auth/people/login/nobody', wrong)).toEqual({ 400: 5, 403: passwordAttempts - 5 });
    await user('people', 'nobody');
    expect((await login('people', 'nobody', 'right')).status).toBe(200);
  });

  test('five with an unknown role id get an answer', async () => {
    const wrong = times(attempts, { role_id: 'nobody', secret_id: 'wrong' });
    expect(await statuses('auth/machines/login', wrong)).toEqual({ 400: 5, 403: attempts - 5 });
  });
});

test('concurrent correct logins all succeed', async () => {
  await user('people', 'busy');
  expect(await statuses('auth/people/login/busy', times(passwordAttempts, right))).toEqual({ 200: passwordAttempts });
});

test('of many concurrent logins at two processes, as many succeed as the secret id has uses', async () => {
  const config = { user_lockout_config: { lockout_disable: true } };
  await service.ask('POST', 'sys/auth/counted', { type: 'approle', config });
  await service.ask('POST', 'auth/counted/role/app', { role_id: 'app' });
  const { body } = await service.ask('POST', 'auth/counted/role/app/secret-id', { num_uses: 30 });
  const { secret_id } = body['data'] as { secret_id: string };
  const bodies = times(attempts, { role_id: 'app', secret_id });
  expect(await statuses('auth/counted/login', bodies)).toEqual({ 200: 30, 400: attempts - 30 });
});

test('a success resets the count', async () => {
  await user('people', 'cid');
  for (let round = 0; round < 2; round += 1) {
    for (let wrong = 0; wrong < 4; wrong += 1) expect((await login('people', 'cid', 'wrong')).status).toBe(400);
    expect((await login('people', 'cid', 'right')).status).toBe(200);
  }
});

describe('a mount', () => {
  test('can have its own rule', async () => {
    await userpass('strict', { lockout_threshold: 2 });
    await user('strict', 'ann');
    for (const status of [400, 400, 403]) expect((await login('strict', 'ann', 'wrong')).status).toBe(status);
  });

  test('can disable lockouts', async () => {
    await userpass('lenient', { lockout_disable: true });
    await user('lenient', 'ann');
    for (let wrong = 0; wrong < 6; wrong += 1) expect((await login('lenient', 'ann', 'wrong')).status).toBe(400);
    expect((await login('lenient', 'ann', 'right')).status).toBe(200);
  });

  test('can lock out for a short time, after which the count starts over', async () => {
    await userpass('brief', { lockout_threshold: 1, lockout_duration: 1 });
    await user('brief', 'ann');
    expect((await login('brief', 'ann', 'wrong')).status).toBe(400);
    const status = async () => (await login('brief', 'ann', 'right')).status;
    await expect.poll(status, { timeout: patience.conditionMs }).toBe(200);
  });

  test('forgets old failures', async () => {
    await userpass('forgetful', { lockout_threshold: 2, lockout_counter_reset_duration: 1 });
    await user('forgetful', 'ann');
    const past = new Date(Date.now() - 60_000);
    expect((await login('forgetful', 'ann', 'wrong')).status).toBe(400);
    await service.store.db.updateTable('login_failures').set({ failed_at: past }).where('failures', '=', 1).execute();
    expect((await login('forgetful', 'ann', 'wrong')).status).toBe(400);
    expect((await login('forgetful', 'ann', 'right')).status).toBe(200);
  });
});

describe('a mount where more names are guessed than can be counted', () => {
  /** Fills all parts of the mount with names whose failures are counted until then. */
  const fill = async (mount: string, until: string) => {
    await sql`
      insert into login_failures (mount_id, alias, part, failures, failed_at, forget_at)
      select m.id, U&'\\0001' || n, n % 64, 1, now(), now() + ${until}::interval
        from mounts m, generate_series(1000, 999 + 64 * 256) n where m.path = ${`auth/${mount}/`}
          on conflict (mount_id, alias) do update set forget_at = excluded.forget_at`.execute(service.store.db);
  };
  const guesses = async (mount: string, names: readonly string[], count: number) => {
    const found: Record<string, readonly number[]> = {};
    for (const name of names) {
      const statuses: number[] = [];
      for (let n = 0; n < count; n += 1) statuses.push((await login(mount, name, 'wrong')).status);
      found[name] = statuses;
    }
    return found;
  };
  const rows = async (mount: string) =>
    Number(
      (
        await sql<{ n: number }>`select count(*) as n from login_failures f join mounts m on m.id = f.mount_id
          where m.path = ${`auth/${mount}/`}`.execute(service.store.db)
      ).rows[0]?.n,
    );

  test('gives every wrong login the same reply, keeps users locked, and accepts correct logins', async () => {
    await userpass('full');
    for (const name of ['locked', 'fresh', 'right']) await user('full', name);
    const before = await guesses('full', ['locked', 'unknown-locked'], 6);
    expect(before['locked']).toEqual([400, 400, 400, 400, 400, 403]);
    expect(before['unknown-locked']).toEqual(before['locked']);
    await fill('full', '900s');
    const full = await rows('full');
    const names = Array.from({ length: 4 }, (_, n) => `unknown-${n}`);
    expect(new Set(Object.values(await guesses('full', names, 1)).flat())).toEqual(new Set([403]));
    const during = await guesses('full', ['fresh', 'unknown', 'locked', 'unknown-locked'], 6);
    for (const statuses of Object.values(during)) expect(statuses).toEqual([403, 403, 403, 403, 403, 403]);
    // At most one marker for each part, and the existing users.
    expect(await rows('full')).toBeLessThanOrEqual(full + 64 + 3);
    expect((await login('full', 'right', 'right')).status).toBe(200);
    expect((await login('full', 'locked', 'right')).status).toBe(403);
    expect((await login('full', 'fresh', 'right')).status).toBe(403);
    await service.ask('DELETE', 'sys/auth/full');
  });

  test('also gives wrong logins the same reply when the other names expire before the users who were guessed meanwhile', async () => {
    await userpass('emptied');
    await user('emptied', 'ann');
    await fill('emptied', '900s');
    await guesses('emptied', ['ann', 'unknown'], 6);
    await fill('emptied', '-1s');
    const after = await guesses('emptied', ['ann', 'unknown'], 2);
    expect(after['unknown']).toEqual(after['ann']);
    expect(after['ann']).toEqual([403, 403]);
    await service.ask('DELETE', 'sys/auth/emptied');
  });
});

describe('sys/locked-users', () => {
  test('lists and unlocks locked users', async () => {
    await userpass('shown', { lockout_threshold: 1 });
    const accessor = await accessorOf('shown');
    for (const name of ['ann', 'bob']) {
      await user('shown', name);
      await login('shown', name, 'wrong');
    }
    await login('shown', 'hunter2-typed-as-a-name', 'wrong');
    const { body } = await service.ask('GET', `sys/locked-users?mount_accessor=${accessor}`);
    const mount = { mount_accessor: accessor, counts: 2, alias_identifiers: ['ann', 'bob'] };
    expect(body['data']).toEqual({
      by_namespace: [{ namespace_id: 'root', namespace_path: '', counts: 2, mount_accessors: [mount] }],
      total: 2,
    });
    const all = (await service.ask('GET', 'sys/locked-users')).body['data'] as { total: number };
    expect(all.total).toBeGreaterThanOrEqual(2);
    expect((await service.ask('POST', `sys/locked-users/${accessor}/unlock/ann`)).status).toBe(204);
    expect((await login('shown', 'ann', 'right')).status).toBe(200);
    expect((await login('shown', 'bob', 'right')).status).toBe(403);
    expect((await service.ask('GET', 'sys/locked-users?mount_accessor=none')).body['data']).toEqual({
      by_namespace: [],
      total: 0,
    });
  });

  test('is empty of old failures after a sweep', async () => {
    const rows = async () => (await service.store.db.selectFrom('login_failures').selectAll().execute()).length;
    expect(await rows()).toBeGreaterThan(0);
    await service.store.db
      .updateTable('login_failures')
      .set({ forget_at: new Date(0) })
      .execute();
    await service.sweep();
    expect(await rows()).toBe(0);
  });
});
