import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { recorded } from '#test/support/cli/recorded.ts';
import { printedRows, syncLines } from '#test/support/cli/syncs.ts';
import { insertAssociations } from '#test/support/flow/many/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm']);
const { line, lineWith, destinationWith, destinationWithFailed } = syncLines(service);

/** A token with one policy. */
async function tokenOf(policy: string): Promise<string> {
  const name = service.name('policy');
  await service.api.write(`sys/policies/acl/${name}`, { policy });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: [name] });
  return (body['auth'] as { readonly client_token: string }).client_token;
}

test('a secret that is associated nowhere, or not there, is an error with the next command', async () => {
  const name = await destinationWith(1);
  expect(await line('wait', 'secret/typo')).toMatchObject({
    code: 1,
    errors: expect.stringMatching(
      /secret\/typo is associated with no destination\n {2}next: keyferry sync secret\/typo --to/,
    ),
  });
  const [{ secret }] = printedRows((await line('records', 'list', '--name', name, '-o', 'ndjson')).output);
  const other = `cloud-a-sm/${await service.destination('cloud-a-sm')}`;
  const elsewhere = await line('wait', secret, '--to', other);
  expect(elsewhere).toMatchObject({
    code: 1,
    errors: expect.stringContaining(`${secret} is not associated with ${other}`),
  });
  expect((await line('wait', secret, '--to', 'cloud-a-sm/nowhere')).code).toBe(1);
  // The other name of the type.
  const aliased = await line('wait', secret, '--to', `aws-sm/${name}`, '-o', 'ndjson');
  expect([aliased.code, printedRows(aliased.output)]).toMatchObject([0, [{ secret, status: 'SYNCED' }]]);
});

test('--wait on the other name of a type waits, too', async () => {
  const [name, secret] = [await service.destination('cloud-a-sm'), await service.secret({ a: 'b' })];
  expect((await line('pause', `cloud-a-sm/${name}`, '--yes')).code).toBe(0);
  const synced = await line('sync', `secret/${secret}`, '--to', `aws-sm/${name}`, '--wait', '--timeout', '0s');
  expect(synced.code).toBe(7);
});

test('a destination is waited for until its last change is synced, without a read of all its associations', async () => {
  const name = await destinationWith(1);
  await insertAssociations(service, name, 1_500);
  await sql`update associations set status = 'PENDING' where secret_name = ${`many-of-${name}/001500`}`.execute(
    service.store.db,
  );
  const { address, paths } = await recorded(service);
  const wait = () => lineWith({ address }, 'wait', '--to', `cloud-a-sm/${name}`, '--timeout', '0s', '-o', 'ndjson');
  expect((await wait()).code).toBe(7);
  await sql`update associations set status = 'CLIENT_SIDE_ERROR' where secret_name = ${`many-of-${name}/001500`}`.execute(
    service.store.db,
  );
  const failed = await wait();
  expect(failed.code, failed.errors).toBe(6);
  expect(printedRows(failed.output)).toEqual(
    expect.arrayContaining([
      { destination: `cloud-a-sm/${name}`, status: 'SYNCED', count: 1_500 },
      { destination: `cloud-a-sm/${name}`, status: 'CLIENT_SIDE_ERROR', count: 1 },
    ]),
  );
  expect(failed.errors).toContain(`keyferry records list --type cloud-a-sm --name ${name} --status CLIENT_SIDE_ERROR`);
  const reads = paths.filter((path) => path.includes('/associations'));
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.filter((path) => !path.includes('limit=1'))).toEqual([]);
});

test('a caller who may only read the associations of a destination waits for it by these', async () => {
  const name = await destinationWithFailed(1);
  const base = `sys/sync/destinations/cloud-a-sm/${name}`;
  const token = await tokenOf(`path "${base}/*" { capabilities = ["read", "update"] }`);
  const failed = await lineWith({ token }, 'wait', '--to', `cloud-a-sm/${name}`, '-o', 'ndjson');
  expect([failed.code, printedRows(failed.output)]).toMatchObject([1, [{ status: 'CLIENT_SIDE_ERROR', count: 1 }]]);
  const allowed = `path "${base}/*" { capabilities = ["read", "update"] } path "secret/data/*" { capabilities = ["read"] }`;
  const [secret, narrow] = [await service.secret({ a: 'b' }), { token: await tokenOf(allowed) }];
  const synced = await lineWith(narrow, 'sync', `secret/${secret}`, '--to', `cloud-a-sm/${name}`, '--wait');
  expect(synced.code, synced.errors).toBe(0);
  expect((await lineWith(narrow, 'wait', `secret/${secret}`, '--to', `cloud-a-sm/${name}`)).code).toBe(0);
  const none = await tokenOf(`path "sys/sync/records" { capabilities = ["read"] }`);
  expect((await lineWith({ token: none }, 'wait', '--to', `cloud-a-sm/${name}`)).code).toBe(4);
});

test('all copies at a destination are listed, page by page, and counted before it is deleted', async () => {
  const name = await service.destination('cloud-a-sm');
  await insertAssociations(service, name, 1_001);
  const { output } = await line('destinations', 'get', `cloud-a-sm/${name}`, '--copies', '-o', 'ndjson');
  expect(new Set(printedRows(output).map(({ secret }) => secret)).size).toBe(1_001);
  expect(await line('destinations', 'delete', `cloud-a-sm/${name}`, '--force')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('It has 1001 syncs: their copies stay, unmanaged.'),
  });
});
