import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { postgresDump } from '#test/support/flow/backup/dumps.ts';
import { type Answer, ask } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';
import { patience } from '#test/support/measures/patience.ts';
import { fileDevice, linesOf, removeDevices, textOf } from '../../audit/log.ts';
import { authOf, enrolled, methodOf, type Person, peopleOf, wrongCode } from './setup.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);
const people = peopleOf(service);
const at = (name: string) => `identity/mfa/login-enforcement/${name}`;

let accessor: string;
beforeAll(async () => {
  const { body } = await service.ask('GET', 'sys/auth/userpass');
  accessor = String(Object(body['data'])['accessor']);
});

const enforced: string[] = [];
afterEach(async () => {
  for (const name of enforced.splice(0)) await service.ask('DELETE', at(name));
});

async function enforce(methods: readonly { readonly id: string }[], matches: object): Promise<string> {
  const name = service.name('enforcement');
  enforced.push(name);
  const answer = await service.ask('POST', at(name), { mfa_method_ids: methods.map(({ id }) => id), ...matches });
  expect(answer).toMatchObject({ status: 204 });
  return name;
}

/** A user with a secret, whose logins need a code. */
async function enforcedPerson(settings: object = {}) {
  const method = await methodOf(service, settings);
  const person = await people.person(['p']);
  const totp = await enrolled(service, method.id, person.entityId);
  const enforcement = await enforce([method], { identity_entity_ids: [person.entityId] });
  return { method, person, totp, enforcement };
}

const requirementOf = (answer: Answer) => Object(authOf(answer)['mfa_requirement']);
const requestIdOf = (answer: Answer): string => String(requirementOf(answer)['mfa_request_id']);

const validate = (id: unknown, payload: unknown, address = service.address) =>
  ask({
    address,
    token: '',
    method: 'PUT',
    path: 'sys/mfa/validate',
    body: { mfa_request_id: id, mfa_payload: payload },
    headers: { 'x-service-token': undefined },
  });
const notSatisfied = (enforcement: string, why = 'MFA credentials not supplied or incorrect') => ({
  status: 403,
  errors: [`failed to satisfy enforcement ${enforcement}. error: ${why}`],
});

describe('a pending login ends', () => {
  /** The first half of a login; `second` sends the second half to another process. */
  const waiting = async () => {
    const { method, person, totp } = await enforcedPerson();
    const id = requestIdOf(await people.login(person.name));
    return { person, second: () => validate(id, { [method.id]: [totp.generate()] }, other.address) };
  };
  const tokens = async () =>
    Number((await sql<{ n: string }>`select count(*) as n from tokens`.execute(service.store.db)).rows[0]?.n);

  test.each([
    ['when its user is removed', async (name: string) => service.ask('DELETE', `auth/userpass/users/${name}`)],
    [
      'when its user is removed and made again',
      async (name: string) => {
        await service.ask('DELETE', `auth/userpass/users/${name}`);
        return service.ask('POST', `auth/userpass/users/${name}`, { password: `password of ${name}` });
      },
    ],
    [
      'when its entity is disabled',
      async (_: string, id: string) => service.ask('POST', `identity/entity/id/${id}`, { disabled: true }),
    ],
    [
      'when its entity is disabled and enabled again',
      async (_: string, id: string) => {
        await service.ask('POST', `identity/entity/id/${id}`, { disabled: true });
        return service.ask('POST', `identity/entity/id/${id}`, { disabled: false });
      },
    ],
    [
      'when the alias that it came by is deleted',
      async (_: string, id: string) => {
        const { data } = await service.ask('GET', `identity/entity/id/${id}`);
        const [alias] = data['aliases'] as readonly { readonly id: string }[];
        return service.ask('DELETE', `identity/entity-alias/id/${alias?.id}`);
      },
    ],
    ['when its entity is deleted', async (_: string, id: string) => service.ask('DELETE', `identity/entity/id/${id}`)],
  ])('%s', async (_, change) => {
    const { person, second } = await waiting();
    expect((await change(person.name, person.entityId)).status).toBeLessThan(300);
    const before = await tokens();
    expect(await second()).toMatchObject({ status: 400, errors: ['invalid request ID'] });
    expect(await tokens()).toBe(before);
  });

  test.each(['the role', 'the mount'])(
    'when %s of an approle login is removed, also when it is made again',
    async (what) => {
      const mount = service.name('machines');
      const make = async () => {
        await service.ask('POST', `sys/auth/${mount}`, { type: 'approle' });
        await service.ask('POST', `auth/${mount}/role/app`, { role_id: mount });
        const { body } = await service.ask('POST', `auth/${mount}/role/app/secret-id`);
        return { role_id: mount, secret_id: String(Object(body['data'])['secret_id']) };
      };
      const first = await service.ask('POST', `auth/${mount}/login`, await make());
      const method = await methodOf(service);
      const entityId = String(authOf(first)['entity_id']);
      const totp = await enrolled(service, method.id, entityId);
      await enforce([method], { identity_entity_ids: [entityId] });
      const held = await service.ask('POST', `auth/${mount}/login`, await make());
      const id = requestIdOf(held);
      const path = what === 'the role' ? `auth/${mount}/role/app` : `sys/auth/${mount}`;
      expect((await service.ask('DELETE', path)).status).toBe(204);
      await make();
      const answer = await validate(id, { [method.id]: [totp.generate()] }, other.address);
      expect(answer).toMatchObject({ status: 400, errors: ['invalid request ID'] });
    },
  );

  test('when its entity is disabled while its code is checked', async () => {
    const { person, second } = await waiting();
    const before = await tokens();
    let answer: Promise<Answer> | undefined;
    await service.store.db.transaction().execute(async (tx) => {
      await sql`update entities set disabled = true where id = ${person.entityId}`.execute(tx);
      answer = second();
      // The code is taken when the request waits for this transaction.
      await expect
        .poll(
          async () =>
            (
              await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'
                and query like '%mfa_pending_logins%'`.execute(service.store.db)
            ).rows.length,
          { timeout: patience.conditionMs },
        )
        .toBeGreaterThan(0);
    });
    expect(await answer).toMatchObject({ status: 400, errors: ['invalid request ID'] });
    expect(await tokens()).toBe(before);
  });
});

test('an entity shows the MFA methods that it is enrolled in, without their secrets', async () => {
  const person = await people.person();
  const read = async () => (await service.ask('GET', `identity/entity/id/${person.entityId}`)).data['mfa_secrets'];
  expect(await read()).toEqual({});
  const [one, other] = [await methodOf(service), await methodOf(service)];
  for (const { id } of [one, other]) await enrolled(service, id, person.entityId);
  const enrolment = ({ name }: { readonly name: string }) => ({ method_name: name, type: 'totp' });
  expect(await read()).toEqual({ [one.id]: enrolment(one), [other.id]: enrolment(other) });
  await service.ask('POST', 'identity/mfa/method/totp/admin-destroy', {
    method_id: one.id,
    entity_id: person.entityId,
  });
  expect(await read()).toEqual({ [other.id]: enrolment(other) });
});

describe('a login in two halves', () => {
  test('first returns the requirement and no token, then the token, also in another process', async () => {
    const { method, person, totp, enforcement } = await enforcedPerson();
    const first = await people.login(person.name);
    expect(first).toMatchObject({ status: 200, warnings: [expect.stringContaining('sys/mfa/validate')] });
    expect(authOf(first)).toMatchObject({ client_token: '', accessor: '', policies: [], entity_id: '' });
    expect(requirementOf(first)).toEqual({
      mfa_request_id: expect.stringMatching(/^[\da-f-]{36}$/),
      mfa_constraints: {
        [enforcement]: { any: [{ type: 'totp', id: method.id, uses_passcode: true, name: method.name }] },
      },
    });
    const second = await validate(requestIdOf(first), { [method.id]: [totp.generate()] }, other.address);
    expect(second.status).toBe(200);
    expect(authOf(second)).toMatchObject({
      policies: ['default', 'p'],
      metadata: { username: person.name },
      entity_id: person.entityId,
      mfa_requirement: null,
    });
    const headers = { 'x-service-token': String(authOf(second)['client_token']) };
    const self = await service.ask('GET', 'auth/token/lookup-self', undefined, { headers });
    expect(self.data).toMatchObject({ display_name: `userpass-${person.name}`, entity_id: person.entityId });
  });

  test('is recorded without the id of its second half', async () => {
    const { method, person, totp } = await enforcedPerson();
    const { file } = await fileDevice(service);
    const id = requestIdOf(await people.login(person.name));
    expect((await validate(id, { [method.id]: [totp.generate()] })).status).toBe(200);
    await removeDevices(service);
    const required = (await linesOf(file)).flatMap(
      ({ response }) => Object(response?.['auth'])['mfa_requirement'] ?? [],
    );
    expect(required).toMatchObject([{ mfa_request_id: expect.stringMatching(/^hmac-sha256:/) }]);
    expect(await textOf(file)).not.toContain(id);
  });

  test('can be repeated after a wrong code, and not after a correct one', async () => {
    const { method, person, totp, enforcement } = await enforcedPerson();
    const id = requestIdOf(await people.login(person.name));
    for (const payload of [{ [method.id]: [wrongCode(totp)] }, { [method.id]: [] }, { none: ['123456'] }]) {
      expect(await validate(id, payload)).toMatchObject(notSatisfied(enforcement));
    }
    expect((await validate(id, { [method.name]: [totp.generate()] })).status).toBe(200);
    const again = await validate(id, { [method.id]: [totp.generate()] });
    expect(again).toMatchObject({ status: 400, errors: ['invalid request ID'] });
  });

  test('gives one token to a hundred concurrent validations with different codes at two processes', async () => {
    const { method, person, totp } = await enforcedPerson();
    const before = await tokens(person);
    const id = requestIdOf(await people.login(person.name));
    const codes = [-1, 0, 1].map((n) => totp.generate({ timestamp: Date.now() + n * 3_600_000 }));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        validate(id, { [method.id]: [codes[n % 3] ?? ''] }, n % 2 === 0 ? service.address : other.address),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400 || status === 403)).toHaveLength(99);
    expect(await tokens(person)).toBe(before + 1);
  });

  test.each([
    ['missing request ID', '', { a: ['1'] }],
    ['missing mfa payload', 'x', undefined],
    ['invalid request ID', 'x', { a: ['1'] }],
    ['invalid request ID', 'f2a6a0f0-0000-4000-8000-000000000000', { a: ['1'] }],
    ['invalid mfa payload', 'x', {}],
    ['invalid mfa payload', 'x', { a: '1' }],
    ['invalid mfa payload', 'x', { a: ['1', '2'] }],
    ['invalid mfa payload', 'x', { a: [[]] }],
    ['invalid mfa payload', 'x', { a: ['1'.repeat(65)] }],
    ['invalid mfa payload', 'x', Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`m${n}`, ['1']]))],
  ])('answers %s for %j with %j', async (problem, id, payload) => {
    expect(await validate(id, payload)).toMatchObject({ status: 400, errors: [problem] });
  });

  test.each([
    ['a payload that is a text', 'x', 'a'],
    ['an id that is a list', ['x'], { a: ['1'] }],
    ['a long id', 'x'.repeat(65), { a: ['1'] }],
  ])('answers 400 for %s', async (_name, id, payload) => {
    expect((await validate(id, payload)).status).toBe(400);
  });

  test('expires and is swept', async () => {
    const { method, person, totp } = await enforcedPerson();
    const id = requestIdOf(await people.login(person.name));
    await sql`update mfa_pending_logins set expire_at = now()`.execute(service.store.db);
    const answer = await validate(id, { [method.id]: [totp.generate()] });
    expect(answer).toMatchObject({ status: 400, errors: ['invalid request ID'] });
    await service.sweep();
    const { rows } = await sql`select 1 from mfa_pending_logins`.execute(service.store.db);
    expect(rows).toEqual([]);
  });

  test('ends when the method of the login is disabled, or the entity', async () => {
    const { method, person, totp } = await enforcedPerson();
    const id = requestIdOf(await people.login(person.name));
    await sql`update entities set disabled = true where id = ${person.entityId}`.execute(service.store.db);
    expect((await validate(id, { [method.id]: [totp.generate()] })).status).toBe(400);
    await service.ask('POST', 'sys/auth/brief', { type: 'userpass' });
    await service.api.write('auth/brief/users/a', { password: 'abc' });
    const login = () => service.ask('POST', 'auth/brief/login/a', { password: 'abc' });
    const entity_id = authOf(await login())['entity_id'];
    await enforce([method], { identity_entity_ids: [entity_id] });
    const brief = await enrolled(service, method.id, String(entity_id));
    const held = requestIdOf(await login());
    await service.ask('DELETE', 'sys/auth/brief');
    expect((await validate(held, { [method.id]: [brief.generate()] })).status).toBe(400);
  });

  test('is stored sealed, at most a hundred for one entity', async () => {
    const { person } = await enforcedPerson();
    const first = requestIdOf(await people.login(person.name));
    const dump = await postgresDump(service);
    expect(dump).not.toContain(first);
    const count = async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from mfa_pending_logins where entity_id = ${person.entityId}`.execute(
        service.store.db,
      );
      return rows[0]?.n;
    };
    await sql`insert into mfa_pending_logins
      select sha256(n::text::bytea), mount_id, entity_id, login, expire_at + make_interval(secs => n)
        from mfa_pending_logins, generate_series(1, 120) n where entity_id = ${person.entityId}`.execute(
      service.store.db,
    );
    await people.login(person.name);
    expect(await count()).toBe(100);
  });
});

describe('a login in one', () => {
  test('has the code in the header', async () => {
    const { method, person, totp, enforcement } = await enforcedPerson();
    const login = (code: string) => people.login(person.name, { 'x-vault-mfa': code });
    expect(await login(`${method.id}:${wrongCode(totp)}`)).toMatchObject(notSatisfied(enforcement));
    expect(await login(`none:${totp.generate()}`)).toMatchObject(notSatisfied(enforcement));
    expect(await login(method.id)).toMatchObject(notSatisfied(enforcement));
    const right = await login(`${method.id}:${totp.generate()}`);
    expect(authOf(right)).toMatchObject({ entity_id: person.entityId, mfa_requirement: null });
    expect(await login(`${method.name}:${totp.generate()}`)).toMatchObject(notSatisfied(enforcement));
  });

  test('shares the count of attempts with the other ways', async () => {
    const { method, person, totp, enforcement } = await enforcedPerson({ max_validation_attempts: 2 });
    const id = requestIdOf(await people.login(person.name));
    await validate(id, { [method.id]: [wrongCode(totp)] });
    await people.login(person.name, { 'x-vault-mfa': `${method.id}:${wrongCode(totp)}` });
    const why = 'maximum TOTP validation attempts 3 exceeded the allowed attempts 2. Please try again in 3600s seconds';
    const right = { [method.id]: [totp.generate()] };
    expect(await validate(id, right)).toMatchObject(notSatisfied(enforcement, why));
  });

  test('with a wrong password asks for no code', async () => {
    const { person } = await enforcedPerson();
    const answer = await service.ask('POST', `auth/userpass/login/${person.name}`, { password: 'wrong' });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('mfa');
  });
});

describe('an enforcement', () => {
  test.each([
    ['accessor', async () => ({ auth_method_accessors: [accessor] })],
    ['type', async () => ({ auth_method_types: ['userpass'] })],
    ['entity', async (person: Person) => ({ identity_entity_ids: [person.entityId] })],
    ['group', async (person: Person) => ({ identity_group_ids: [await groupOf(person)] })],
  ])('applies to a login by its %s', async (_name, matches) => {
    const person = await people.person();
    const method = await methodOf(service);
    await enforce([method], await matches(person));
    expect(authOf(await people.login(person.name))['client_token']).toBe('');
    const header = { 'x-vault-mfa': `${method.id}:123456` };
    expect((await people.login(person.name, header)).status).toBe(403);
  });

  test('does not apply to others', async () => {
    await enforcedPerson();
    const person = await people.person();
    expect(authOf(await people.login(person.name))['client_token']).not.toBe('');
  });

  test('requires one of its methods, and each of several enforcements requires its own', async () => {
    const { method, person, totp, enforcement } = await enforcedPerson();
    const [second, third] = [await methodOf(service), await methodOf(service)];
    const more = await enforce([second, third], { identity_entity_ids: [person.entityId] });
    const thirdTotp = await enrolled(service, third.id, person.entityId);
    const first = await people.login(person.name);
    expect(Object.keys(requirementOf(first)['mfa_constraints']).sort()).toEqual([enforcement, more].sort());
    const id = requestIdOf(first);
    const code = { [method.id]: [totp.generate()] };
    expect(await validate(id, code)).toMatchObject(notSatisfied(more));
    expect((await validate(id, { ...code, [third.id]: [thirdTotp.generate()] })).status).toBe(200);
  });

  test('is written, read, listed and deleted; its methods cannot be deleted before it', async () => {
    const { method, person, enforcement } = await enforcedPerson();
    const { data } = await service.ask('GET', at(enforcement));
    expect(data).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: enforcement,
      mfa_method_ids: [method.id],
      identity_entity_ids: [person.entityId],
      auth_method_accessors: [],
      auth_method_types: [],
      identity_group_ids: [],
      namespace_id: 'root',
      namespace_path: '',
    });
    const list = await service.ask('LIST', 'identity/mfa/login-enforcement');
    expect(list.data['keys']).toContain(enforcement);
    const inUse = {
      status: 400,
      errors: [`methodID is still used by an enforcement configuration with ID: ${data['id']}`],
    };
    expect(await service.ask('DELETE', `identity/mfa/method/totp/${method.id}`)).toMatchObject(inUse);
    expect(await service.ask('DELETE', `sys/mfa/method/totp/${method.name}`)).toMatchObject(inUse);
    const second = await methodOf(service);
    await service.ask('POST', at(enforcement), { mfa_method_ids: [second.id], auth_method_accessors: accessor });
    expect((await service.ask('GET', at(enforcement))).data).toMatchObject({
      id: data['id'],
      mfa_method_ids: [second.id],
      identity_entity_ids: [],
      auth_method_accessors: [accessor],
    });
    expect((await service.ask('DELETE', `identity/mfa/method/totp/${method.id}`)).status).toBe(204);
    expect((await service.ask('DELETE', at(enforcement))).status).toBe(204);
    expect((await service.ask('GET', at(enforcement))).status).toBe(404);
  });

  const someone = { identity_entity_ids: ['nobody'] };
  test.each([
    [{ ...someone }, 'missing method ids'],
    [{ mfa_method_ids: ['none'], auth_method_types: ['userpass'] }, "one of the provided method ids doesn't exist"],
    [
      { mfa_method_ids: ['METHOD'] },
      'One of auth_method_accessors, auth_method_types, identity_group_ids, identity_entity_ids must be specified',
    ],
    [{ mfa_method_ids: ['METHOD'], ...someone }, "one of the provided entity ids doesn't exist"],
    [{ mfa_method_ids: ['METHOD'], identity_group_ids: ['x'] }, "one of the provided group ids doesn't exist"],
    [
      { mfa_method_ids: ['METHOD'], auth_method_accessors: ['x'] },
      "one of the provided auth method accessors doesn't exist",
    ],
    [
      { mfa_method_ids: ['METHOD'], auth_method_types: ['usrpass'] },
      "one of the provided auth method types doesn't exist",
    ],
    [
      { mfa_method_ids: ['METHOD'], identity_entity_ids: Array.from({ length: 1_001 }, String) },
      'identity_entity_ids may have at most 1000 entries',
    ],
  ])('is refused for %j', async (body, problem) => {
    const { id } = await methodOf(service);
    const raw = JSON.stringify(body).replace('METHOD', id);
    expect(await service.ask('POST', at('refused'), undefined, { raw })).toMatchObject({
      status: 400,
      errors: [problem],
    });
  });
});

async function groupOf({ entityId }: Person): Promise<string> {
  const [inner, outer] = [service.name('group'), service.name('group')];
  const { db } = service.store;
  for (const id of [inner, outer])
    await sql`insert into identity_groups (id, name, name_key, created_at, updated_at, type)
      values (${id}, ${id}, ${id}, now(), now(), 'internal')`.execute(db);
  await sql`insert into group_entities (entity_id, group_id) values (${entityId}, ${inner})`.execute(db);
  await sql`insert into group_groups (member_id, parent_id) values (${inner}, ${outer})`.execute(db);
  await sql`update revisions set revision = revision + 1 where name = 'groups'`.execute(db);
  return outer;
}

async function tokens({ entityId }: Person): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from tokens where entity_id = ${entityId}`.execute(service.store.db);
  return rows[0]?.n ?? 0;
}
