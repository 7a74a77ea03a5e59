import { expect, test } from 'vitest';
import { denied, holderOf } from '#test/support/flow/holders.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm']);
const base = 'sys/sync/destinations/cloud-a-sm';

const unreadable = (secret: string) => ({
  status: 403,
  errors: [`permission denied to read the content of the secret ${secret} in mount secret`],
});

test('associating a secret and removing it need update on the destination and read on the secret', async () => {
  const [place, secret] = [await service.destination('cloud-a-sm'), await service.secret({ a: '1' })];
  const [set, remove] = ['set', 'remove'].map((change) => `${base}/${place}/associations/${change}`) as [
    string,
    string,
  ];
  const onDestination = `path "${base}/${place}/associations/*" { capabilities = ["update"] }`;
  const onSecret = `path "secret/data/${secret}" { capabilities = ["read"] }`;
  const body = { mount: 'secret', secret_name: secret };

  const { ask: syncer } = await holderOf(service, onDestination);
  const { ask: reader } = await holderOf(service, onSecret);
  const { ask: both } = await holderOf(service, `${onDestination} ${onSecret}`);
  expect(await syncer('POST', set, body)).toMatchObject(unreadable(secret));
  expect(await reader('POST', set, body)).toMatchObject(denied);
  expect(await service.associations('cloud-a-sm', place)).toEqual([]);
  expect(await both('POST', set, body)).toMatchObject({ status: 200 });
  expect(await syncer('POST', remove, body)).toMatchObject(unreadable(secret));
  expect(await reader('POST', remove, body)).toMatchObject(denied);
  expect(await service.associations('cloud-a-sm', place, secret)).toHaveLength(1);
  expect(await both('POST', remove, body)).toMatchObject({ status: 200 });
});

test('a policy may allow one destination only', async () => {
  const [mine, other] = [await service.destination('cloud-a-sm'), await service.destination('cloud-a-sm')];
  const secret = await service.secret({ a: '1' });
  const { ask } = await holderOf(
    service,
    `path "${base}/${mine}/*" { capabilities = ["update", "read"] } path "secret/data/*" { capabilities = ["read"] }`,
  );
  const body = { mount: 'secret', secret_name: secret };
  expect(await ask('POST', `${base}/${other}/associations/set`, body)).toMatchObject(denied);
  expect(await ask('POST', `${base}/${mine}/associations/set`, body)).toMatchObject({ status: 200 });
  expect(await ask('GET', `${base}/${other}/associations`)).toMatchObject(denied);
  expect(await ask('GET', `${base}/${mine}/associations`)).toMatchObject({ status: 200 });
});

test('a caller without any grant below a mount cannot find out by associating whether it exists', async () => {
  const place = await service.destination('cloud-a-sm');
  await service.ask('POST', 'sys/mounts/plain', { type: 'kv', options: { version: '1' } });
  const { ask } = await holderOf(service, `path "${base}/*" { capabilities = ["update"] }`);
  for (const mount of ['plain', 'none', 'auth/token']) {
    const answer = await ask('POST', `${base}/${place}/associations/set`, { mount, secret_name: 'x' });
    expect([mount, answer.status]).toEqual([mount, 403]);
  }
});

test('a caller who may change a destination cannot send its stored credentials to another address', async () => {
  const place = await service.destination('cloud-a-sm');
  const { ask } = await holderOf(service, `path "${base}/${place}" { capabilities = ["read", "update", "patch"] }`);
  const { data: before } = await ask('GET', `${base}/${place}`);
  for (const [method, change] of [
    ['PATCH', { endpoint: 'http://127.0.0.1:9' }],
    ['POST', { ...(before['connection_details'] as object), endpoint: 'http://127.0.0.1:9' }],
    ['PATCH', { allowed_ports: ['9'] }],
  ] as const) {
    const { status, errors } = await ask(method, `${base}/${place}`, change);
    expect([method, change, status]).toEqual([method, change, 400]);
    expect(errors.join()).toMatch(/secret_access_key/);
  }
  expect((await ask('GET', `${base}/${place}`)).data).toEqual(before);
});
