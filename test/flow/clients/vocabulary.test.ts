import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import type { RepoHostFake } from '#destinations/repo-host/fake/index.ts';
import { canonicalType } from '#path/vocabulary.ts';
import { everyType, serviceOf } from '../../support/flow/open-service.ts';
import { allTypeNames } from '../../support/type-names.ts';

const service = serviceOf();
const inClientVocabulary = { headers: { 'x-vault-request': 'true' } };
const aliasOf = (type: string) => definitions.find((one) => one.type === type)?.alias ?? '';

describe.each(everyType.map((type) => [type, aliasOf(type)]))('%s, which existing clients call %s', (type, alias) => {
  test('is created, used and removed by that name, and replies use it', async () => {
    const name = service.name('client');
    const at = `sys/sync/destinations/${alias}/${name}`;
    const token = { headers: { 'x-service-token': undefined, 'x-vault-token': service.rootToken } };
    const made = await service.ask('POST', at, service.fake(type).destination, token);
    expect(made.status).toBe(200);
    expect(made.data).toMatchObject({ type: alias, name });
    const secret = await service.secret({ key: 'value' });
    const target = { mount: 'secret', secret_name: secret };
    const set = await service.ask('POST', `${at}/associations/set`, target, token);
    expect(set.data).toMatchObject({ store_type: alias, store_name: name });
    const read = await service.ask('GET', `sys/sync/associations/secret/${secret}`, undefined, token);
    expect(Object.values(Object(read.data['associated_destinations']))[0]).toMatchObject({ type: alias, name });
    expect(Object.keys(Object(read.data['associated_destinations']))[0]).toMatch(new RegExp(`^${alias}/${name}`));
    const removed = await service.ask('POST', `${at}/associations/remove`, target, token);
    expect(removed.data).toMatchObject({ store_type: alias });
    expect((await service.ask('DELETE', at, undefined, token)).status).toBe(204);
  });

  test('is the same type by either name', async () => {
    const name = await service.destination(type);
    const other = await service.ask('GET', `sys/sync/destinations/${alias}/${name}`);
    const own = await service.ask('GET', `sys/sync/destinations/${type}/${name}`);
    expect(other.data).toEqual({ ...own.data, type: alias });
    const list = await service.ask('LIST', `sys/sync/destinations/${alias}`);
    expect(list.data['keys']).toContain(name);
  });
});

test('the list names types in the vocabulary of the client', async () => {
  await service.destination('cloud-a-sm');
  const theirs = await service.ask('GET', 'sys/sync/destinations?list=true', undefined, inClientVocabulary);
  expect(theirs.data['keys']).toContain('aws-sm/');
  expect(Object.keys(Object(theirs.data['key_info']))).toEqual(theirs.data['keys']);
  expect((await service.ask('LIST', 'sys/sync/destinations')).data['keys']).toContain('cloud-a-sm/');
});

test('lists and maps of types are ordered by the names they show', async () => {
  for (const type of everyType) await service.destination(type);
  for (const options of [{}, inClientVocabulary]) {
    const { keys, key_info } = (await service.ask('LIST', 'sys/sync/destinations', undefined, options)).data;
    expect(keys).toHaveLength(everyType.length);
    expect(keys).toEqual((keys as string[]).toSorted());
    expect(Object.keys(Object(key_info))).toEqual(keys);
  }
});

const canonicalWord = new RegExp(`(?<![\\w-])(${[...everyType, 'INTERNAL_ERROR'].join('|')})(?![\\w-])`);

describe.each([
  ['sys/sync', inClientVocabulary],
  ['sys/sync/destinations', inClientVocabulary],
  ['sys/sync/destinations/cloud-a-sm/x', inClientVocabulary],
  ['sys/sync/destinations/aws-sm/x', {}],
  ['sys/sync/destinations/nonsense/x', inClientVocabulary],
  ['sys/sync/github-apps/x', inClientVocabulary],
])('the help of %s with %j', (path, options) => {
  test('has no word that the client does not know', async () => {
    const { status, text } = await service.ask('GET', `${path}?help=1`, undefined, options);
    expect(status).toBe(200);
    expect(text.match(canonicalWord)).toBeNull();
    const paths = Object.keys(Object(JSON.parse(text)['openapi']['paths']));
    expect(paths).toEqual(paths.toSorted());
  });
});

test('help in the canonical vocabulary has the same paths', async () => {
  const pathsIn = async (options: object) => {
    const { text } = await service.ask('GET', 'sys/sync?help=1', undefined, options);
    return Object.keys(Object(JSON.parse(text)['openapi']['paths']));
  };
  const canonical = (path: string) =>
    path.replace(/(?<=^\/destinations\/)[\w-]+/, (type) => canonicalType(allTypeNames, type));
  expect((await pathsIn(inClientVocabulary)).map(canonical).sort()).toEqual(await pathsIn({}));
});

test('errors name types and statuses in the vocabulary of the client, and quote input unchanged', async () => {
  const secret = await service.secret({ v: '1' });
  const refused = async (method: string, path: string, body: object | undefined, options: object) =>
    (await service.ask(method, `sys/sync/${path}`, body, options)).errors.join();
  const set = 'destinations/cloud-a-sm/cloud-a-sm/associations/set';
  const target = { mount: 'secret', secret_name: secret };
  const none = (type: string) => `no destination "cloud-a-sm" of type ${type}`;
  expect(await refused('POST', set, target, {})).toBe(none('cloud-a-sm'));
  expect(await refused('POST', set, target, inClientVocabulary)).toBe(none('aws-sm'));
  expect(await refused('POST', set.replace('cloud-a-sm', 'aws-sm'), target, {})).toBe(none('aws-sm'));
  const status = { sync_status: 'cloud-a-sm' };
  expect(await refused('POST', 'replay', status, {})).toMatch(/"cloud-a-sm".*, INTERNAL_ERROR$/);
  expect(await refused('POST', 'replay', status, inClientVocabulary)).toMatch(/"cloud-a-sm".*, INTERNAL_VAULT_ERROR$/);
  const unread = await refused('GET', 'destinations/cloud-a-sn/x', undefined, inClientVocabulary);
  expect(unread).toMatch(/^unknown destination type "cloud-a-sn": .*\baws-sm\b/);
  expect(unread).not.toMatch(canonicalWord);
});

test('an app in use names its destinations in the vocabulary of the client', async () => {
  const { app, appDestination } = service.fake<RepoHostFake>('repo-host');
  const at = `sys/sync/github-apps/${appDestination['app_name']}`;
  await service.api.write(at, app);
  const name = await service.destination('repo-host', { ...appDestination, access_token: undefined });
  for (const [options, type] of [[{}, 'repo-host'] as const, [inClientVocabulary, 'gh'] as const]) {
    const { errors } = await service.ask('DELETE', at, undefined, options);
    expect(errors.join()).toContain(`in use by the destinations ${type}/${name}:`);
  }
});

test('an internal error is named in the vocabulary of the client', async () => {
  const name = await service.destination('cloud-a-sm');
  const secret = await service.secret({ v: '1' });
  await service.set('cloud-a-sm', name, secret);
  await service.store.db
    .updateTable('associations')
    .set({ status: 'INTERNAL_ERROR', records: '[]' })
    .where('secret_name', '=', secret)
    .execute();
  const at = (type: string) => `sys/sync/destinations/${type}/${name}/associations`;
  const statusIn = async (type: string, options = {}) => {
    const { data } = await service.ask('GET', at(type), undefined, options);
    return [Object.values(Object(data['associated_secrets']))[0], data['sync_operation_counters']];
  };
  const theirs = [{ sync_status: 'INTERNAL_VAULT_ERROR' }, { INTERNAL_VAULT_ERROR: 1 }];
  expect(await statusIn('cloud-a-sm')).toMatchObject([{ sync_status: 'INTERNAL_ERROR' }, { INTERNAL_ERROR: 1 }]);
  expect(await statusIn('aws-sm')).toMatchObject(theirs);
  expect(await statusIn('cloud-a-sm', inClientVocabulary)).toMatchObject(theirs);
});

test('a status that this version does not know reads UNKNOWN', async () => {
  const name = await service.destination('cloud-a-sm');
  const secret = await service.secret({ v: '1' });
  await service.set('cloud-a-sm', name, secret);
  const change = service.store.db.updateTable('associations').set({ status: 'MELTED', records: '[]' });
  await change.where('secret_name', '=', secret).execute();
  expect((await service.associations('cloud-a-sm', name)).map(({ sync_status }) => sync_status)).toEqual(['UNKNOWN']);
});
