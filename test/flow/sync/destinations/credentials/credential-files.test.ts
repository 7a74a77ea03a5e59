import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { only } from '#test/support/flow/associations.ts';
import { type Capture, startCapture } from '#test/support/flow/capture.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-c-sm';
const at = (name: string) => `sys/sync/destinations/${type}/${name}`;
const base = mkdtempSync(join(tmpdir(), 'keyferry-credentials-'));
const folder = join(base, 'keys');
mkdirSync(folder);
writeFileSync(join(base, 'outside.json'), 'OUTSIDE');
writeFileSync(join(folder, 'no-key.json'), 'NO-KEY');
symlinkSync('../outside.json', join(folder, 'escape.json'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('with a folder of credentials', () => {
  const service = serviceOf([type], {
    KEYFERRY_CREDENTIALS_DIR: folder,
    KEYFERRY_CREDENTIALS_ENDPOINTS: 'https://one.example.com, http://two.example.com:8080/',
  });
  let capture: Capture;
  beforeAll(async () => {
    capture = await startCapture();
  });
  afterAll(() => capture.close());

  const pushed = async (body: object) => {
    const name = service.name('place');
    expect((await service.ask('POST', at(name), { project_id: 'p-1', ...body })).status).toBe(200);
    return only(await service.set(type, name, await service.secret({ v: 'x' })));
  };

  test.each([['/etc/passwd'], ['/dev/ptmx'], ['/dev/zero'], ['../outside.json'], [join(base, 'outside.json')], ['']])(
    'credentials @%s are a 400 by POST and PATCH, without any content of the file',
    async (path) => {
      const made = await service.destination(type);
      for (const [method, name] of [
        ['POST', service.name('bad')],
        ['POST', made],
        ['PATCH', made],
      ] as const) {
        const { status, errors, text } = await service.ask(method, at(name), { credentials: `@${path}` });
        expect(status).toBe(400);
        expect(errors.join()).toContain('invalid credentials');
        expect(text).not.toContain('OUTSIDE');
      }
    },
  );

  test('the worker reads a file in it, but not one that a link leads outside', async () => {
    const read = await pushed({ credentials: '@no-key.json' });
    expect(read).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'credentials' } });
    expect(read.error?.message).toContain('not JSON');
    expect(read.error?.message).not.toContain('NO-KEY');
    const escaped = await pushed({ credentials: '@escape.json' });
    expect(escaped).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'credentials' } });
    expect(escaped.error?.message).toContain('not in the folder of KEYFERRY_CREDENTIALS_DIR');
  });

  test('a file is used at the provider and where the operator allows it, never at an address of the caller', async () => {
    const account = JSON.parse(String(service.fake(type).destination['credentials']));
    writeFileSync(join(folder, 'key.json'), JSON.stringify(account));
    const reach = { tls_ca_cert: capture.certificate, disable_strict_networking: true };
    const elsewhere = await pushed({ credentials: '@key.json', endpoint: capture.url, ...reach });
    expect(elsewhere).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'credentials' } });
    expect(elsewhere.error?.message).toContain('KEYFERRY_CREDENTIALS_ENDPOINTS');
    expect(capture.requests).toEqual([]);
    for (const endpoint of ['https://one.example.com/', 'http://two.example.com:8080']) {
      const allowed = await pushed({ credentials: '@no-key.json', endpoint });
      expect(allowed.error?.message).toContain('not JSON');
    }
  });
});

describe('without a folder of credentials', () => {
  const service = serviceOf([type]);

  test('a file is refused with the name of the missing setting', async () => {
    for (const path of ['key.json', '/etc/passwd']) {
      const { status, errors } = await service.ask('POST', at('x'), { credentials: `@${path}`, project_id: 'p-1' });
      expect(status).toBe(400);
      expect(errors.join()).toContain('set KEYFERRY_CREDENTIALS_DIR');
    }
  });

  test('a file that was stored earlier is refused at the push', async () => {
    const name = await service.destination(type);
    const { credentials } = service.fake(type).destination;
    const connection = { credentials: '@/etc/passwd', project_id: JSON.parse(String(credentials)).project_id };
    await service.store.db
      .updateTable('destinations')
      .set({ connection: service.store.barrier.seal(JSON.stringify(connection), `destinations/${type}/${name}`) })
      .where('name', '=', name)
      .execute();
    const record = only(await service.set(type, name, await service.secret({ v: 'x' })));
    expect(record).toMatchObject({ sync_status: 'CLIENT_SIDE_ERROR', error: { kind: 'credentials' } });
    expect(record.error?.message).toContain('set KEYFERRY_CREDENTIALS_DIR');
  });
});
