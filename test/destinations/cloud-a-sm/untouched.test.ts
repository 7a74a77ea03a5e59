import { expect, test } from 'vitest';
import { calm, failureOf, item, standForEach } from './connection.ts';

const stand = standForEach();

test('a refused creation has changed nothing', async () => {
  stand.fake.deny('CreateSecret');
  const failure = await failureOf(stand.driver.put(item('app/db', 'one'), calm()));
  expect(failure).toMatchObject({ kind: 'permission', untouched: true });
});

test('an adoption that wrote the tags and was refused the value has changed something', async () => {
  stand.fake.seed('app/db', 'theirs');
  stand.fake.deny('PutSecretValue');
  const failure = await failureOf(stand.driver.put(item('app/db', 'ours', { mode: 'adopt' }), calm()));
  expect(failure).toMatchObject({ kind: 'permission', untouched: false });
  expect(stand.fake.objects().get('app/db')).toMatchObject({ value: 'theirs', tags: { keyferry: 'managed' } });
});

test('an adoption whose first change was refused has changed nothing', async () => {
  stand.fake.seed('app/db', 'theirs');
  stand.fake.deny('TagResource');
  const failure = await failureOf(stand.driver.put(item('app/db', 'ours', { mode: 'adopt' }), calm()));
  expect(failure).toMatchObject({ kind: 'permission', untouched: true });
});

test('a creation without an answer may have arrived', async () => {
  stand.fake.failOf('CreateSecret', { kind: 'unavailable' });
  const failure = await failureOf(stand.driver.put(item('app/db', 'one'), calm()));
  expect(failure).toMatchObject({ kind: 'unavailable', untouched: false });
});
