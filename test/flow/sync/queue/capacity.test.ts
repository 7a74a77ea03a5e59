import { afterEach, beforeEach, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const config = 'sys/sync/config';

let destinationName = '';
beforeEach(async () => {
  destinationName = await service.destination(type);
});
afterEach(async () => {
  await service.ask('DELETE', config);
  await service.untilQuiet();
});

const at = (verb: string) => `sys/sync/destinations/${type}/${destinationName}/associations/${verb}`;
const target = (secret_name: string) => ({ mount: 'secret', secret_name });

/** Disables the sync with a capacity that has room for no further operation. */
async function fill(): Promise<readonly string[]> {
  await service.ask('PATCH', config, { disabled: true, queue_capacity: 2 });
  const secrets = [await service.secret({ v: '1' }), await service.secret({ v: '2' })];
  for (const secret of secrets) await service.set(type, destinationName, secret);
  return secrets;
}

test('set without capacity is a 503 that says why, and changes nothing', async () => {
  await fill();
  const secret = await service.secret({ v: 'late' });
  const { status, errors } = await service.ask('POST', at('set'), target(secret));
  expect(status).toBe(503);
  expect(errors.join()).toContain('the sync queue is full (queue_capacity 2)');
  expect(await service.associations(type, destinationName, secret)).toEqual([]);
});

test('remove without capacity is a 503, and the association stays as it was', async () => {
  const secret = await service.secret({ v: 'kept' });
  const { external_name } = only(await service.set(type, destinationName, secret));
  await fill();
  expect((await service.ask('POST', at('remove'), target(secret))).status).toBe(503);
  expect(only(await service.associations(type, destinationName, secret))).toMatchObject({ sync_status: 'SYNCED' });
  await service.ask('DELETE', config);
  await service.untilQuiet();
  expect(service.fake(type).objects().has(external_name)).toBe(true);
});

test('an association that is already pending needs no further capacity', async () => {
  const [secret = ''] = await fill();
  expect(statuses(await service.set(type, destinationName, secret))).toEqual(['PENDING']);
  expect((await service.ask('POST', at('remove'), target(secret))).status).toBe(200);
});

test('a write succeeds with a warning, stays PENDING, and is synced when there is capacity', async () => {
  const secret = await service.secret({ v: '1' });
  const { external_name } = only(await service.set(type, destinationName, secret));
  await fill();
  const written = await service.ask('POST', `secret/data/${secret}`, { data: { v: '2' } });
  expect(written.status).toBe(200);
  expect(written.warnings.join()).toContain('the sync queue is full (queue_capacity 2)');
  expect(statuses(await service.associations(type, destinationName, secret))).toEqual(['PENDING']);
  expect(await service.sweep()).toMatchObject({ waitingForRoom: 1, requeued: 0 });

  await service.ask('PATCH', config, { disabled: false });
  await eventually(async () => {
    await service.sweep();
    return service.fake(type).objects().get(external_name)?.value === '{"v":"2"}';
  });
});

test('completed operations release their capacity', async () => {
  await service.ask('PATCH', config, { queue_capacity: 1 });
  for (let round = 0; round < 5; round += 1) {
    const secret = await service.secret({ v: String(round) });
    expect(statuses(await service.set(type, destinationName, secret))).toEqual(['SYNCED']);
    await service.untilQuiet();
  }
});

test('a set that fails after it has reserved capacity releases it', async () => {
  await service.ask('PATCH', config, { queue_capacity: 1 });
  const secret = await service.secret({ v: '1' });
  for (let round = 0; round < 3; round += 1) {
    expect(
      (await service.ask('POST', `sys/sync/destinations/${type}/missing/associations/set`, target(secret))).status,
    ).toBe(404);
  }
  expect(statuses(await service.set(type, destinationName, secret))).toEqual(['SYNCED']);
});

test('of forty concurrent sets exactly as many succeed as there is capacity, and the others change nothing', async () => {
  await service.ask('PATCH', config, { disabled: true, queue_capacity: 7 });
  const secrets = await Promise.all(Array.from({ length: 40 }, () => service.secret({ v: '1' })));
  const answers = await Promise.all(secrets.map((secret) => service.ask('POST', at('set'), target(secret))));
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  expect([count(200), count(503)]).toEqual([7, 33]);
  expect(await service.associations(type, destinationName)).toHaveLength(7);
});

test('concurrent removals and sets of the same association never exceed the capacity', async () => {
  const secret = await service.secret({ v: '1' });
  await service.set(type, destinationName, secret);
  await service.untilQuiet();
  await service.ask('PATCH', config, { disabled: true, queue_capacity: 1 });
  const verbs = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'set' : 'remove'));
  const answers = await Promise.all(verbs.map((verb) => service.ask('POST', at(verb), target(secret))));
  expect(answers.map(({ status }) => status)).toEqual(verbs.map(() => 200));
  expect((await service.ask('POST', at('set'), target(await service.secret({ v: '2' })))).status).toBe(503);
});
