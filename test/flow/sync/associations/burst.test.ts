import { expect, test } from 'vitest';
import { eachOf } from '#core/concurrency/each-of.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-b-kv';
const service = serviceOf([type]);
const puts = () => service.calls(type, 'set');

test('a thousand writes of one secret are pushed a handful of times, even to a fast destination', async () => {
  const destinationName = await service.destination(type);
  const secret = await service.secret({ value: 'first' });
  await service.set(type, destinationName, secret);
  const before = puts();
  const began = performance.now();
  await eachOf([...Array(1_000).keys()], 16, (index) =>
    service.ask('POST', `secret/data/${secret}`, { data: { value: `${index}` } }),
  );
  await service.secret({ value: 'the newest' }, secret);
  const lastedMs = performance.now() - began;
  await service.untilQuiet();
  const [{ external_name } = { external_name: '' }] = await service.associations(type, destinationName, secret);
  expect(service.fake(type).objects().get(external_name)?.value).toBe('{"value":"the newest"}');
  // One push at once, one after the burst, and at most one for every five seconds of it.
  expect(puts() - before).toBeLessThanOrEqual(3 + lastedMs / 5_000);
});

test('setting an association again does not wait for the burst of its secret', async () => {
  const destinationName = await service.destination(type);
  const secret = await service.secret({ value: 'first' });
  await service.set(type, destinationName, secret);
  for (let n = 0; n < 20; n += 1) await service.secret({ value: `${n}` }, secret);
  expect(await service.set(type, destinationName, secret)).toMatchObject([{ sync_status: 'SYNCED' }]);
});
