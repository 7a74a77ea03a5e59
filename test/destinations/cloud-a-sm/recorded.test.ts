import { expect, test } from 'vitest';
import type { PutItem } from '#destinations/contract.ts';
import { calm, item, open, standForEach } from './connection.ts';

const stand = standForEach();
const sure = { mode: 'update', asRecorded: true } as const;

test('a put with a certain record whose token was used for another value looks, and writes its value', async () => {
  const first = await stand.driver.put(item('app/db', 'one', { asRecorded: true }), calm());
  await stand.driver.put(item('app/db', 'two', { ...sure, ...first }), calm());
  // The second put is missing from the record, as after the restore of an older store.
  await stand.driver.put(item('app/db', 'three', { ...sure, ...first }), calm());
  expect(stand.fake.objects().get('app/db')?.value).toBe('three');
  expect(stand.fake.calls().get('DescribeSecret')).toBe(1);
});

test('a put with a certain record to a secret that was deleted by hand looks, and restores it with its tags', async () => {
  const first = await stand.driver.put(item('app/db', 'one', { asRecorded: true }), calm());
  stand.fake.schedule('app/db');
  await stand.driver.put(item('app/db', 'two', { ...sure, ...first }), calm());
  expect(stand.fake.objects().get('app/db')).toEqual({ value: 'two', tags: item('', '').tags });
});

test('a creation with a certain record does not take a removed secret that was restored by hand for its own', async () => {
  const life = (intent: string, changes: Partial<PutItem> = {}) =>
    item('app/db', 'one', { asRecorded: true, intent, ...changes });
  const first = await stand.driver.put(life('1'), calm());
  const last = await stand.driver.put({ ...life('1', { ...sure, ...first }), value: item('', 'two').value }, calm());
  await stand.driver.remove(life('1', last), calm());
  stand.fake.restore('app/db');
  await stand.driver.put(life('2'), calm());
  expect(stand.fake.objects().get('app/db')).toEqual({ value: 'one', tags: item('', '').tags });
});

test('where the destination names a key, a version is written only after a look shows that the secret has it', async () => {
  const keyed = open(stand.fake, { kms_key_id: 'alias/ours' });
  const first = await keyed.put(item('app/db', 'one', { asRecorded: true }), calm());
  await open(stand.fake, { kms_key_id: 'alias/theirs' }).put(
    item('app/db', 'one', { mode: 'update', ...first }),
    calm(),
  );
  await keyed.put(item('app/db', 'two', { ...sure, ...first }), calm());
  expect(stand.fake.secret('app/db')?.kmsKeyId).toBe('alias/ours');
  await keyed.close();
});
