import { expect, test } from 'vitest';
import { stageOf } from '../../support/flow/open-service.ts';

const type = 'cloud-b-kv';
const stage = stageOf([type]);
const puts = () => stage.calls(type, 'set');

test('a thousand writes of one secret are pushed a handful of times, however quick the destination is', async () => {
  const place = await stage.destination(type);
  const secret = await stage.secret({ value: 'first' });
  await stage.set(type, place, secret);
  const before = puts();
  let next = 0;
  const lane = async () => {
    while (next < 1_000) await stage.ask('POST', `secret/data/${secret}`, { data: { value: `${next++}` } });
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: 16 }, lane));
  await stage.secret({ value: 'the newest' }, secret);
  const lastedMs = performance.now() - began;
  await stage.untilQuiet();
  const [{ external_name } = { external_name: '' }] = await stage.associations(type, place, secret);
  expect(stage.fake(type).objects().get(external_name)?.value).toBe('{"value":"the newest"}');
  // One at once, one after the burst, and at most one for each five seconds that it lasted.
  expect(puts() - before).toBeLessThanOrEqual(3 + lastedMs / 5_000);
});

test('setting an association again does not wait for the burst of its secret', async () => {
  const place = await stage.destination(type);
  const secret = await stage.secret({ value: 'first' });
  await stage.set(type, place, secret);
  for (let n = 0; n < 20; n += 1) await stage.secret({ value: `${n}` }, secret);
  expect(await stage.set(type, place, secret)).toMatchObject([{ sync_status: 'SYNCED' }]);
});
