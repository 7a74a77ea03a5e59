import { expect, test } from 'vitest';
import type { CloudASmFake } from '#destinations/cloud-a-sm/fake/index.ts';
import type { Answer } from '../../support/flow/calls/ask.ts';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { holderIn, type Space, spaceOf } from './spaces.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const fake = () => service.fake<CloudASmFake>(type);
const at = `sys/sync/destinations/${type}/shared`;

async function synced(space: Pick<Space, 'ask' | 'path'>, template: string): Promise<void> {
  const made = await space.ask('POST', at, { ...fake().destination, secret_name_template: template });
  if (made.status !== 200) throw new Error(made.errors.join());
  await space.ask('POST', 'secret/data/db', { data: { of: space.path } });
  const set = await space.ask('POST', `${at}/associations/set`, { mount: 'secret', secret_name: 'db' });
  if (set.status !== 200) throw new Error(set.errors.join());
}

test('destinations and associations with the same name belong to their namespaces, and deleting one removes its copies', async () => {
  const outer = await spaceOf(service);
  const inner = await spaceOf(service, outer);
  const template = '{{ .NamespacePath | replace "/" "-" }}_{{ .NamespaceBaseName }}_{{ .SecretPath }}';
  for (const space of [outer, inner]) await synced(space, template);
  const [one, two] = [outer.path.slice(0, -1), inner.path.slice(outer.path.length, -1)];
  const copies = () => [...fake().objects().keys()].sort();
  expect(copies()).toEqual([`${one}-${two}_${two}_db`, `${one}_${one}_db`].sort());

  expect((await service.ask('GET', at)).status).toBe(404);
  expect((await service.ask('LIST', 'sys/sync/destinations')).status).toBe(404);
  expect((await service.ask('LIST', 'sys/sync/associations')).status).toBe(404);
  expect((await service.ask('GET', 'sys/sync/associations/secret/db')).status).toBe(404);
  for (const space of [outer, inner]) {
    expect((await space.ask('LIST', `sys/sync/destinations/${type}`)).data['keys']).toEqual(['shared']);
    expect((await space.ask('LIST', 'sys/sync/associations')).data['keys']).toEqual(['secret/db']);
    const { data } = await space.ask('GET', 'sys/sync/associations/secret/db');
    expect(Object.keys(data['associated_destinations'] as object)).toEqual([`${type}/shared`]);
  }

  await inner.ask('POST', 'secret/data/db', { data: { of: 'changed' } });
  await service.untilQuiet();
  const removed = await service.ask('DELETE', `sys/namespaces/${inner.path.slice(0, -1)}`);
  expect([200, 204]).toContain(removed.status);
  await eventually(async () => {
    await service.sweep();
    return (await service.ask('GET', `sys/namespaces/${inner.path.slice(0, -1)}`)).status === 404;
  });
  expect(copies()).toEqual([`${one}_${one}_db`]);
  expect((await outer.ask('GET', `${at}/associations`)).status).toBe(200);
});

test('a replay covers only the associations of its namespace, with and without the name of a destination', async () => {
  const outer = await spaceOf(service);
  const inner = await spaceOf(service, outer);
  for (const space of [outer, inner]) await synced(space, `${service.name('copy')}_{{ .SecretPath }}`);
  const replay = (ask: (method: string, path: string, body: object) => Promise<Answer>, filter: object) =>
    ask('POST', 'sys/sync/replay', { type, sync_status: 'SYNCED', ...filter });
  for (const space of [outer, inner]) {
    await service.untilQuiet();
    expect((await replay(space.ask, {})).data['replayed']).toBe(1);
    await service.untilQuiet();
    expect((await replay(space.ask, { name: 'shared' })).data['replayed']).toBe(1);
  }
  await service.untilQuiet();
  expect((await replay(service.ask, {})).data['replayed']).toBe(0);
  expect((await replay(service.ask, { name: 'shared' })).status).toBe(400);
});

test('a rule of the root applies to a type in a namespace that it names by its alias', async () => {
  const space = await spaceOf(service);
  const root = { ask: (method: string, path: string, body?: unknown) => service.ask(method, path, body) };
  const rules = `path "${space.path}*" { capabilities = ["read"] }
    path "${space.path}sys/sync/destinations/aws-sm/*" { capabilities = ["deny"] }`;
  const { client_token: token } = await holderIn(service, root, rules);
  for (const name of [type, 'aws-sm'])
    expect((await space.ask('GET', `sys/sync/destinations/${name}/a`, undefined, token)).status).toBe(403);
  expect((await space.ask('GET', 'secret/data/a', undefined, token)).status).toBe(404);
});
