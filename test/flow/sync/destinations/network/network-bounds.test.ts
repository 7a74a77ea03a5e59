import { expect, test } from 'vitest';
import { only } from '#test/support/flow/associations.ts';
import { everyType, serviceOf } from '#test/support/flow/open-service.ts';

/** The operator allows destinations one block and one port, which no stand-in uses. */
const service = serviceOf(everyType, { KEYFERRY_NETWORK_ALLOWED: '10.20.0.0/16,8443' });

const type = 'cloud-a-sm';
const at = (name: string) => `sys/sync/destinations/${type}/${name}`;
const body = (changes: object) => ({
  ...service.fake(type).destination,
  allowed_ipv4_addresses: [],
  allowed_ports: [],
  ...changes,
});

test.each([
  [{ disable_strict_networking: true }, 'disable_strict_networking true'],
  [{ allowed_ipv4_addresses: ['10.20.1.0/24', '127.0.0.1/32'] }, 'allowed_ipv4_addresses 127.0.0.1/32'],
  [{ allowed_ipv6_addresses: ['::1/128'] }, 'allowed_ipv6_addresses ::1/128'],
  [{ allowed_ports: [8443, 9000] }, 'allowed_ports 9000'],
])('a destination that asks for access to %j is refused with the name of the setting', async (changes, named) => {
  const created = await service.ask('POST', at(service.name('refused')), body(changes));
  const name = service.name('there');
  expect((await service.ask('POST', at(name), body({}))).status).toBe(200);
  const patched = await service.ask('PATCH', at(name), { ...service.fake(type).destination, ...body(changes) });
  for (const { status, errors } of [created, patched]) {
    expect(status).toBe(400);
    expect(errors.join()).toContain(named);
    expect(errors.join()).toContain('KEYFERRY_NETWORK_ALLOWED');
  }
});

test('access that the setting allows is accepted, and so is public access', async () => {
  const changes = { allowed_ipv4_addresses: ['10.20.1.0/24', '8.8.8.0/24'], allowed_ports: [8443, 443] };
  expect((await service.ask('POST', at(service.name('taken')), body(changes))).status).toBe(200);
});

/** A row as an earlier release stored it, or this one before the operator narrowed the setting. */
async function storedBefore(kind: string, network: object): Promise<string> {
  const name = service.name('before');
  const closed = { ...service.fake(kind).destination, allowed_ipv4_addresses: [], allowed_ports: [] };
  expect((await service.ask('POST', `sys/sync/destinations/${kind}/${name}`, closed)).status).toBe(200);
  await service.store.db
    .updateTable('destinations')
    .set({ network: JSON.stringify({ ...strict, ...network }) })
    .where('name', '=', name)
    .execute();
  return name;
}

const strict = {
  disable_strict_networking: false,
  allowed_ipv4_addresses: [],
  allowed_ipv6_addresses: [],
  allowed_ports: [],
};
const ports = Array.from({ length: 65_535 }, (_, index) => index + 1);

test.each(everyType)('%s: a destination stored before the operator narrowed the access makes no call', async (kind) => {
  for (const network of [
    { disable_strict_networking: true },
    { allowed_ipv4_addresses: ['127.0.0.0/8'], allowed_ports: ports },
  ]) {
    const name = await storedBefore(kind, network);
    const calls = service.calls(kind);
    const record = only(await service.set(kind, name, await service.secret({ key: 'value' })));
    expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'blocked' } });
    expect(record.error?.message).toContain('KEYFERRY_NETWORK_ALLOWED');
    expect(service.calls(kind)).toBe(calls);
  }
});

test('a destination with more access than is allowed now can be narrowed and changed in other fields', async () => {
  const name = await storedBefore(type, { disable_strict_networking: true });
  expect((await service.ask('PATCH', at(name), { granularity: 'secret-key' })).status).toBe(200);
  expect((await service.ask('PATCH', at(name), { disable_strict_networking: false })).status).toBe(200);
});
