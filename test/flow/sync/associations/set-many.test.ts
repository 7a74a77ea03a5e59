import { describe, expect, test } from 'vitest';
import { statuses } from '#test/support/flow/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);

const setMany = async (destination: string, body: object, options?: object) =>
  service.ask(
    'POST',
    `sys/sync/destinations/${type}/${destination}/associations/set`,
    { mount: 'secret', ...body },
    options,
  );

interface Shown {
  readonly state: string;
  readonly changed: number;
  readonly error: string | null;
}

async function untilEnded(data: unknown): Promise<Shown> {
  const { id } = data as { readonly id: string };
  const read = async () => (await service.ask('GET', `sys/sync/batches/${id}`)).data as unknown as Shown;
  await eventually(async () => {
    await service.sweep();
    return !['running', 'settling'].includes((await read()).state);
  });
  return read();
}

/** Secrets `a/x`, `a/y/z` and `b` below a new folder. */
async function folderOfThree(): Promise<string> {
  const folder = service.name('many');
  for (const path of ['a/x', 'a/y/z', 'b']) await service.secret({ v: path }, `${folder}/${path}`);
  return folder;
}

const namesAt = async (destination: string) => {
  const { data } = await service.ask('GET', `sys/sync/records?type=${type}&name=${destination}`);
  return (data['records'] as { secret_name: string }[]).map(({ secret_name }) => secret_name);
};

describe('associations/set of several secrets', () => {
  test('associates every secret below a prefix, also in folders, and tells what became of it', async () => {
    const [folder, destination] = [await folderOfThree(), await service.destination(type)];
    const { status, data } = await setMany(destination, { secret_prefix: `${folder}/a/` });
    expect({ status, data }).toMatchObject({
      status: 202,
      data: { action: 'set', total: 2, filter: { type, name: destination, mount: 'secret/', prefix: `${folder}/a/` } },
    });
    expect(await untilEnded(data)).toMatchObject({ state: 'done', changed: 2, counts: { synced: 2 }, progress: 1 });
    expect(await namesAt(destination)).toEqual([`${folder}/a/x`, `${folder}/a/y/z`]);
    expect(statuses(await service.associations(type, destination))).toEqual(['SYNCED', 'SYNCED']);
  });

  test('takes a list of secrets, each once, and sets those again that are associated already', async () => {
    const [folder, destination] = [await folderOfThree(), await service.destination(type)];
    await service.set(type, destination, `${folder}/b`);
    const secret_names = [`${folder}/b`, `/${folder}/a/x`, `${folder}/b`];
    const dry = await setMany(destination, { secret_names, dry_run: true });
    expect(dry).toMatchObject({ status: 200, data: { dry_run: true, total: 2, would_change: 2, new: 1 } });
    expect(await namesAt(destination)).toEqual([`${folder}/b`]);
    const { data } = await setMany(destination, { secret_names, adopt: true });
    expect(await untilEnded(data)).toMatchObject({ state: 'done', changed: 2, counts: { synced: 2 } });
    expect(await namesAt(destination)).toEqual([`${folder}/a/x`, `${folder}/b`]);
  });

  test('leaves out a secret that is deleted before its turn, and goes on after a restart', async () => {
    const [folder, destination] = [await folderOfThree(), await service.destination(type)];
    const { data } = await setMany(destination, { secret_prefix: folder });
    await service.ask('DELETE', `secret/metadata/${folder}/b`);
    expect(await untilEnded(data)).toMatchObject({ state: 'done', changed: 2, counts: { synced: 2, skipped: 1 } });
  });

  test('ends when the destination is deleted meanwhile', async () => {
    const [folder, destination] = [await folderOfThree(), await service.destination(type)];
    const { data } = await setMany(destination, { secret_prefix: folder });
    await service.ask('DELETE', `sys/sync/destinations/${type}/${destination}`);
    expect(await untilEnded(data)).toMatchObject({
      state: 'failed',
      changed: 0,
      error: expect.stringContaining('deleted'),
    });
  });

  test('needs the right to read each of the secrets, and then changes nothing', async () => {
    const [folder, destination] = [await folderOfThree(), await service.destination(type)];
    const policy = service.name('setter');
    await service.api.write(`sys/policies/acl/${policy}`, {
      policy: `path "sys/sync/destinations/${type}/${destination}/associations/set" { capabilities = ["update"] }
               path "secret/data/${folder}/a/*" { capabilities = ["read"] }`,
    });
    const made = await service.ask('POST', 'auth/token/create', { policies: [policy] });
    const { client_token } = made.body['auth'] as { readonly client_token: string };
    const headers = { 'x-service-token': client_token };
    const refused = await setMany(destination, { secret_prefix: folder }, { headers });
    expect([refused.status, refused.text]).toEqual([403, expect.not.stringContaining(`${folder}/b`)]);
    expect((await setMany(destination, { secret_prefix: 'no-such-folder/' }, { headers })).status).toBe(403);
    const { status, data } = await setMany(destination, { secret_prefix: `${folder}/a/` }, { headers });
    expect(status).toBe(202);
    await untilEnded(data);
    expect(await namesAt(destination)).toEqual([`${folder}/a/x`, `${folder}/a/y/z`]);
  });

  test.each([
    [{ secret_prefix: '' }, 'secret_prefix cannot be empty'],
    [{ secret_prefix: 'no-such-folder/' }, 'no secret whose path starts with'],
    [{ secret_names: [] }, 'secret_names cannot be empty'],
    [{ secret_names: ['no-such-secret'] }, 'no secret \\"no-such-secret\\"'],
    [{ secret_name: 'a', secret_prefix: 'b' }, 'exclude each other'],
    [{ secret_name: 'a', dry_run: true }, 'dry_run needs'],
    [{}, 'missing required field \\"secret_name\\"'],
    [{ secret_prefix: 'a', mount: 'no-such-mount' }, 'no mount at'],
  ])('%j is refused', async (body, text) => {
    const reply = await setMany(await service.destination(type), body);
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(text)]);
  });
});

test('a batch sets associations again with the template that their destination has now', async () => {
  const [folder, destination] = [await folderOfThree(), await service.destination(type)];
  await service.set(type, destination, `${folder}/a/x`);
  await service.ask('PATCH', `sys/sync/destinations/${type}/${destination}`, {
    secret_name_template: 'again-{{ .SecretBaseName }}',
  });
  await service.untilQuiet();
  const external = async () => {
    const { data } = await service.ask('GET', `sys/sync/records?type=${type}&name=${destination}`);
    return (data['records'] as { entries: { external_name: string }[] }[]).flatMap(({ entries }) =>
      entries.map(({ external_name }) => external_name),
    );
  };
  expect(await external()).not.toEqual(['again-x']);
  const { status, data } = await service.ask('POST', 'sys/sync/batches', { action: 'set', name: destination });
  expect([status, data['total']]).toEqual([202, 1]);
  expect(await untilEnded(data)).toMatchObject({ state: 'done', changed: 1, counts: { synced: 1 } });
  expect(await external()).toEqual(['again-x']);
});
