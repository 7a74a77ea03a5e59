import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../support/flow/calls/ask.ts';
import { serviceOf } from '../../support/flow/open-service.ts';

const service = serviceOf();

/** Replies that clients of the API family compare, requested with the header of each kind of client. */
describe.each([
  ['x-service-token', 'the service is already initialized', 'the service is unsealed'],
  ['x-vault-token', 'Vault is already initialized', 'vault is unsealed'],
])('a client that sends %s', (header, initialised, unsealed) => {
  const as = (token: string | undefined) => ({ headers: { 'x-service-token': undefined, [header]: token } });
  const ask = (method: string, path: string, body?: unknown, raw?: string): Promise<Answer> =>
    service.ask(method, path, body, { ...as(service.rootToken), ...(raw === undefined ? {} : { raw }) });
  let mount: string;

  beforeAll(async () => {
    mount = service.name('team');
    await ask('POST', `sys/mounts/${mount}`, { type: 'kv', config: { default_lease_ttl: '1h', max_lease_ttl: '2h' } });
  });

  test('reads the state of the seal in its own vocabulary', async () => {
    expect((await ask('PUT', 'sys/init', { secret_shares: 1, secret_threshold: 1 })).errors).toEqual([initialised]);
    expect((await ask('PUT', 'sys/unseal', { reset: true })).errors).toEqual([unsealed]);
    expect((await ask('GET', 'sys/seal-status')).body).toMatchObject({ recovery_seal_type: 'shamir' });
  });

  test('gets an answer about a mount when its token is missing or invalid', async () => {
    const errorsOf = async (path: string, token?: string) => {
      const answer = await service.ask('GET', path, undefined, as(token));
      return [answer.status, ...answer.errors];
    };
    const invalid = '2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n';
    for (const path of [`sys/internal/ui/mounts/${mount}/a`, 'sys/internal/ui/mounts/none/a']) {
      expect(await errorsOf(path)).toEqual([403, 'permission denied']);
      expect(await errorsOf(path, 'hvs.none')).toEqual([403, invalid]);
    }
    expect(await errorsOf('sys/internal/ui/mounts')).toEqual([200]);
    expect(await errorsOf('sys/internal/ui/mounts', 'hvs.none')).toEqual([403, invalid]);
  });

  test('keeps lease times when it changes a description or gives a mount versions', async () => {
    const tune = (change: object) => ask('POST', `sys/mounts/${mount}/tune`, change);
    const empty = { default_lease_ttl: '', max_lease_ttl: '', options: null };
    expect((await tune({ ...empty, description: 'changed' })).status).toBe(204);
    expect((await tune({ ...empty, max_lease_ttl: '30m' })).status).toBe(400);
    expect((await tune({ ...empty, options: { version: '2' } })).status).toBe(204);
    expect((await ask('GET', `sys/mounts/${mount}/tune`)).data).toEqual({
      default_lease_ttl: 3600,
      max_lease_ttl: 7200,
      force_no_cache: false,
      description: 'changed',
      options: { version: '2' },
    });
    expect((await ask('LIST', `${mount}/data`)).status).toBe(404);
    expect((await ask('LIST', `${mount}/data`)).warnings).toEqual([
      expect.stringContaining('Invalid path for a versioned K/V secrets engine. See the API docs'),
    ]);
  });

  test('reads {} for the options of a mount without options, and effective lease times where user interfaces expect them', async () => {
    const plain = service.name('plain');
    await ask('POST', `sys/mounts/${plain}`, { type: 'kv' });
    const times = { default_lease_ttl: 2_764_800, max_lease_ttl: 2_764_800 };
    const listed = (await ask('GET', 'sys/mounts')).data[`${plain}/`];
    expect(listed).toMatchObject({ options: {}, config: { default_lease_ttl: 0, max_lease_ttl: 0 } });
    const { secret } = (await ask('GET', 'sys/internal/ui/mounts')).data;
    expect(secret).toMatchObject({ [`${plain}/`]: { options: {}, config: times } });
  });

  test('can wait for a move to end', async () => {
    const from = service.name('from');
    await ask('POST', `sys/mounts/${from}`, { type: 'kv' });
    const moved = await ask('POST', 'sys/remount', { from, to: `${from}-moved` });
    expect(moved.warnings).toEqual([expect.stringContaining('Mount move has been queued.')]);
    const status = await ask('GET', `sys/remount/status/${moved.data['migration_id']}`);
    expect(status.data).toEqual({
      migration_id: moved.data['migration_id'],
      migration_info: { source_mount: `${from}/`, target_mount: `${from}-moved/`, status: 'success' },
    });
  });

  test('reads all wrong fields in one message', async () => {
    const { status, errors } = await ask('POST', 'auth/token/create', { ttl: 'soon', num_uses: 'many' });
    expect(status).toBe(400);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.split('\n')).toEqual([expect.stringContaining('"ttl"'), expect.stringContaining('"num_uses"')]);
  });

  test('is refused JSON that would not be stored as it was sent', async () => {
    const path = `secret/data/${service.name('lossy')}`;
    const refused = await ask('POST', path, undefined, '{"data":{"a":1,"a":2}}');
    expect([refused.status, ...refused.errors]).toEqual([
      400,
      expect.stringContaining('an object has a duplicate key'),
    ]);
    const half = await ask('POST', path, undefined, String.raw`{"data":{"a":"\ud800"}}`);
    expect([half.status, ...half.errors]).toEqual([400, expect.stringContaining('a lone surrogate')]);
    expect((await ask('GET', path)).status).toBe(404);
  });

  test('may write null, and reads who wrote it', async () => {
    const secret = service.name('null');
    expect((await ask('POST', `secret/data/${secret}`, { data: null })).data).toMatchObject({ version: 1 });
    const by = { actor: 'root', operation: 'create', client_id: expect.stringMatching(/=$/) };
    expect((await ask('GET', `secret/metadata/${secret}`)).data).toMatchObject({
      last_updated_by: by,
      versions: { '1': { created_by: by, deleted_by: null } },
    });
  });
});
