import { expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { namesWith } from '#sync/rows/fields/forms.ts';
import { only } from '#test/support/flow/associations.ts';
import { everyType, serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf();
/** A change that widens the network access, together with the credentials that it requires. */
const credentialsFor = (type: string) =>
  Object.fromEntries(
    definitions
      .filter((definition) => definition.type === type)
      .flatMap(({ fields }) => namesWith(fields, 'sensitive'))
      .flatMap((name) => Object.entries(service.fake(type).destination).filter(([field]) => field === name)),
  );
const noCalls = async (type: string, work: () => Promise<void>) => {
  const before = service.calls(type);
  await work();
  expect(service.calls(type)).toBe(before);
};

test.each(everyType)(
  '%s: an address that is not public is refused with the reason unless it is allowed',
  async (type) => {
    const destinationName = await service.destination(type, { allowed_ipv4_addresses: [] });
    const secret = await service.secret({ key: 'value' });
    await noCalls(type, async () => {
      const record = only(await service.set(type, destinationName, secret));
      expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'blocked' } });
      expect(record.error?.message).toContain('allowed_ipv4_addresses');
    });
    const { status } = await service.ask('PATCH', `sys/sync/destinations/${type}/${destinationName}`, {
      ...credentialsFor(type),
      allowed_ipv4_addresses: ['127.0.0.1/32'],
    });
    expect(status).toBe(200);
    await service.untilQuiet();
    expect(only(await service.associations(type, destinationName)).sync_status).toBe('SYNCED');
  },
);

test.each(everyType)('%s: a port other than 80 and 443 is refused unless it is allowed', async (type) => {
  const destinationName = await service.destination(type, { allowed_ports: [] });
  const secret = await service.secret({ key: 'value' });
  await noCalls(type, async () => {
    const record = only(await service.set(type, destinationName, secret));
    expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'blocked' } });
    expect(record.error?.message).toContain('allowed_ports');
  });
});

test.each(everyType)('%s: disable_strict_networking allows both', async (type) => {
  const destinationName = await service.destination(type, {
    allowed_ipv4_addresses: [],
    allowed_ports: [],
    disable_strict_networking: true,
  });
  const secret = await service.secret({ key: 'value' });
  expect(only(await service.set(type, destinationName, secret)).sync_status).toBe('SYNCED');
});
