import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { enrolled, methodOf, notPassed, type Person, peopleOf } from './setup.ts';

const service = serviceOf([]);
const people = peopleOf(service);

const merge = (from: readonly Person[], to: Person, force = false) =>
  service.ask('POST', 'identity/entity/merge', {
    from_entity_ids: from.map(({ entityId }) => entityId),
    to_entity_id: to.entityId,
    force,
    conflicting_alias_ids_to_keep: [],
  });

/** Entities without aliases, which cannot clash. */
async function entity(): Promise<Person> {
  const { data } = await service.ask('POST', 'identity/entity', { name: service.name('entity') });
  return { name: '', entityId: String(data['id']), token: '' };
}

async function hasSecret(methodId: string, { entityId }: Person): Promise<boolean> {
  const body = { method_id: methodId, entity_id: entityId };
  const { warnings } = await service.ask('POST', 'identity/mfa/method/totp/admin-generate', body);
  return warnings.length > 0;
}

describe('merged entities', () => {
  test('keep their secrets, with the used codes', async () => {
    const method = await methodOf(service);
    const policy = service.name('policy');
    await service.api.write(`sys/policies/acl/${policy}`, {
      policy: `path "secret/data/moved" { capabilities = ["read"] mfa_methods = ["${method.name}"] }`,
    });
    await service.secret({ a: '1' }, 'moved');
    const [person, to] = [await people.person([policy]), await entity()];
    const totp = await enrolled(service, method.id, person.entityId);
    const read = (code: string) =>
      service.ask('GET', 'secret/data/moved', undefined, {
        headers: { 'x-service-token': person.token, 'x-service-mfa': `${method.name}:${code}` },
      });
    const [now, next] = [totp.generate(), totp.generate({ timestamp: Date.now() + totp.period * 1_000 })];
    expect((await read(now)).status).toBe(200);
    expect((await merge([person], to)).status).toBe(204);
    expect(await read(now)).toMatchObject(notPassed);
    expect((await read(next)).status).toBe(200);
  });

  test('are refused with all conflicts, and with force the target keeps its own secret', async () => {
    const methods = [await methodOf(service), await methodOf(service), await methodOf(service)] as const;
    const [one, two, to] = [await entity(), await entity(), await entity()];
    const [first, second, third] = methods;
    for (const [method, who] of [
      [first, one],
      [first, to],
      [second, two],
      [second, to],
      [third, one],
      [third, two],
    ] as const)
      await enrolled(service, method.id, who.entityId);
    const refused = await merge([one, two], to);
    expect(refused.status).toBe(400);
    const lines = refused.errors.join().split('\n');
    const conflict = (method: { readonly id: string }, { entityId }: Person) =>
      `conflicting MFA config ID "${method.id}" in entity ID "${entityId}"`;
    expect(lines.sort()).toEqual([conflict(first, one), conflict(second, two), conflict(third, two)].sort());
    expect((await merge([one, two], to, true)).status).toBe(204);
    for (const method of methods) expect(await hasSecret(method.id, to)).toBe(true);
  });

  test('are deleted with their secrets', async () => {
    const method = await methodOf(service);
    const who = await entity();
    await enrolled(service, method.id, who.entityId);
    expect((await service.ask('DELETE', `identity/entity/id/${who.entityId}`)).status).toBe(204);
    expect((await service.ask('DELETE', `identity/mfa/method/totp/${method.id}`)).status).toBe(204);
  });
});
