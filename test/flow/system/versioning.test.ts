import { expect, test } from 'vitest';
import { ask } from '../../support/flow/calls/ask.ts';
import { serviceOf } from '../../support/flow/open-service.ts';
import { otherProcessOf } from '../../support/flow/other-process.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);

const elsewhere = (method: string, path: string, body?: unknown) =>
  ask({ address: other.address, token: service.rootToken, method, path, body });

test('a mount can be upgraded to version 2 during writes: existing secrets become version 1, in every process', async () => {
  await service.ask('POST', 'sys/mounts/old', { type: 'kv', options: { version: '1' } });
  await service.ask('POST', 'old/deep/before', { a: 'before' });
  expect((await elsewhere('GET', 'old/deep/before')).status).toBe(200);
  const names = Array.from({ length: 60 }, (_, n) => `w${n}`);
  const writes = names.map((name, n) => (n % 2 === 0 ? service.ask : elsewhere)('POST', `old/${name}`, { a: name }));
  const tuned = await service.ask('POST', 'sys/mounts/old/tune', { options: { version: '2' } });
  expect(tuned.status).toBe(204);
  const answers = await Promise.all(writes);
  for (const [n, { status }] of answers.entries()) {
    // A write after the upgrade is refused with an error that names the new path, and stores nothing.
    expect([204, 404]).toContain(status);
    const read = await elsewhere('GET', `old/data/w${n}`);
    expect([status, read.status]).toEqual([status, status === 204 ? 200 : 404]);
    if (status === 204) expect(read.data).toMatchObject({ data: { a: `w${n}` }, metadata: { version: 1 } });
  }
  expect((await elsewhere('GET', 'old/data/deep/before')).data).toMatchObject({ data: { a: 'before' } });
  expect((await elsewhere('POST', 'old/data/deep/before', { data: { a: 'after' } })).data).toMatchObject({
    version: 2,
  });
  expect((await service.ask('GET', 'old/data/deep/before?version=1')).data).toMatchObject({ data: { a: 'before' } });
  expect((await service.ask('LIST', 'old/metadata/deep')).data).toEqual({ keys: ['before'] });
});

test('a mount cannot be downgraded to version 1', async () => {
  await service.ask('POST', 'sys/mounts/new', { type: 'kv', options: { version: '2' } });
  for (const options of [{ version: '1' }, { version: '' }, { version: '3' }, 'x', ['version=1']]) {
    const answer = await service.ask('POST', 'sys/mounts/new/tune', { options });
    expect([options, answer.status]).toEqual([options, 400]);
  }
  expect((await service.ask('GET', 'sys/mounts/new/tune')).data).toMatchObject({ options: { version: '2' } });
});
