import { expect, test } from 'vitest';
import type { PutItem } from '../../../lib/destinations/contract.ts';
import { calm, item, open, standForEach } from './connection.ts';

const stand = standForEach();
const sure = { mode: 'update', asRecorded: true } as const;

test('a put without doubt whose token was used for another value looks, and brings its value', async () => {
  const first = await stand.driver.put(item('app/db', 'one', { asRecorded: true }), calm());
  await stand.driver.put(item('app/db', 'two', { ...sure, ...first }), calm());
  // The answer to the second was lost, and so was the doubt: a store that was set back, say.
  await stand.driver.put(item('app/db', 'three', { ...sure, ...first }), calm());
  expect(stand.fake.objects().get('app/db')?.value).toBe('three');
  expect(stand.fake.calls().get('DescribeSecret')).toBe(1);
});

test('a put without doubt to a secret that somebody deleted looks, and brings it back with its tags', async () => {
  const first = await stand.driver.put(item('app/db', 'one', { asRecorded: true }), calm());
  stand.fake.schedule('app/db');
  await stand.driver.put(item('app/db', 'two', { ...sure, ...first }), calm());
  expect(stand.fake.objects().get('app/db')).toEqual({ value: 'two', tags: item('', '').tags });
});

test('a creation without doubt does not take a secret for its own that was removed and that somebody restored', async () => {
  const life = (intent: string, changes: Partial<PutItem> = {}) =>
    item('app/db', 'one', { asRecorded: true, intent, ...changes });
  const first = await stand.driver.put(life('1'), calm());
  const last = await stand.driver.put({ ...life('1', { ...sure, ...first }), value: item('', 'two').value }, calm());
  await stand.driver.remove(life('1', last), calm());
  stand.fake.restore('app/db');
  await stand.driver.put(life('2'), calm());
  expect(stand.fake.objects().get('app/db')).toEqual({ value: 'one', tags: item('', '').tags });
});

test('where the destination names a key, a version goes out only when the secret is seen to have it', async () => {
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
