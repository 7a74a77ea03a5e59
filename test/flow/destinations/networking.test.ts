import { expect, test } from 'vitest';
import { definitions } from '../../../lib/destinations/index.ts';
import { namesWith } from '../../../lib/sync/rows/destinations/fields.ts';
import { only } from '../../support/flow/associations.ts';
import { everyType, stageOf } from '../../support/flow/open-service.ts';

const stage = stageOf();
/** What opens more of the network comes with the credentials. */
const credentialsFor = (type: string) =>
  Object.fromEntries(
    definitions
      .filter((definition) => definition.type === type)
      .flatMap(({ fields }) => namesWith(fields, 'sensitive'))
      .flatMap((name) => Object.entries(stage.fake(type).destination).filter(([field]) => field === name)),
  );
const noCalls = async (type: string, work: () => Promise<void>) => {
  const before = stage.calls(type);
  await work();
  expect(stage.calls(type)).toBe(before);
};

test.each(everyType)('%s: an address that is not public is refused unless it is named, and told so', async (type) => {
  const place = await stage.destination(type, { allowed_ipv4_addresses: [] });
  const secret = await stage.secret({ key: 'value' });
  await noCalls(type, async () => {
    const record = only(await stage.set(type, place, secret));
    expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'blocked' } });
    expect(record.error?.message).toContain('allowed_ipv4_addresses');
  });
  const { status } = await stage.ask('PATCH', `sys/sync/destinations/${type}/${place}`, {
    ...credentialsFor(type),
    allowed_ipv4_addresses: ['127.0.0.1/32'],
  });
  expect(status).toBe(200);
  await stage.untilQuiet();
  expect(only(await stage.associations(type, place)).sync_status).toBe('SYNCED');
});

test.each(everyType)('%s: a port other than 80 and 443 is refused unless it is named', async (type) => {
  const place = await stage.destination(type, { allowed_ports: [] });
  const secret = await stage.secret({ key: 'value' });
  await noCalls(type, async () => {
    const record = only(await stage.set(type, place, secret));
    expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'blocked' } });
    expect(record.error?.message).toContain('allowed_ports');
  });
});

test.each(everyType)('%s: disable_strict_networking opens both', async (type) => {
  const place = await stage.destination(type, {
    allowed_ipv4_addresses: [],
    allowed_ports: [],
    disable_strict_networking: true,
  });
  const secret = await stage.secret({ key: 'value' });
  expect(only(await stage.set(type, place, secret)).sync_status).toBe('SYNCED');
});
