import { expect, test } from 'vitest';
import { runLine } from '../support/cli/line.ts';
import { eventually, serviceOf } from '../support/flow/open-service.ts';
import { shamirService } from '../support/flow/shamir.ts';

const service = serviceOf(['cloud-a-sm']);
const sealed = shamirService();
const uninitialised = shamirService({}, 'not-yet');

interface Found {
  readonly outcome: string;
  readonly finding: string;
  readonly remedy: string;
}

/** The findings by check. */
async function examined(address: string, token?: string) {
  const { code, output } = await runLine(['doctor', '-o', 'ndjson'], {
    address,
    ...(token === undefined ? {} : { token }),
  });
  const rows = output.split('\n').flatMap((row) => (row === '' ? [] : [JSON.parse(row)]));
  const found: Readonly<Record<string, Found>> = Object.fromEntries(rows.map(({ check, ...one }) => [check, one]));
  return { code, found };
}

test('a fresh service passes, except that it is used with a root token, is not audited and another release', async () => {
  const { code, found } = await examined(service.address, service.rootToken);
  expect(code).toBe(3);
  expect(Object.entries(found).map(([check, { outcome }]) => [check, outcome])).toEqual([
    ['server', 'passed'],
    ['seal', 'passed'],
    ['version', 'warning'],
    ['clock', 'passed'],
    ['token', 'passed'],
    ['root token', 'warning'],
    ['audit', 'warning'],
    ['sync', 'passed'],
    ['queue', 'passed'],
    ['failures', 'passed'],
  ]);
});

test('a server that is away, not initialised or sealed is told, with the command that helps', async () => {
  const away = await examined('http://127.0.0.1:9');
  expect(away).toMatchObject({ code: 3, found: { server: { outcome: 'failed' } } });
  const fresh = await examined(uninitialised.addresses[0] ?? '');
  expect(fresh.found['seal']).toMatchObject({ finding: 'not initialised', remedy: 'keyferry init' });
  await sealed.restart();
  const closed = await examined(sealed.addresses[0] ?? '');
  expect(closed.found['seal']).toMatchObject({ finding: 'sealed', remedy: 'keyferry unseal' });
});

test('what the token may not read is not checked, and a token that ends soon or is unknown is told', async () => {
  const { body } = await service.ask('POST', 'auth/token/create', { policies: ['default'], ttl: '10m' });
  const { found } = await examined(service.address, (body['auth'] as { client_token: string }).client_token);
  expect(found['token']).toMatchObject({ outcome: 'warning', remedy: 'keyferry tokens renew' });
  expect(found['audit']).toMatchObject({ outcome: 'not checked' });
  expect(found['sync']).toMatchObject({ outcome: 'not checked' });
  const unknown = await examined(service.address, 'hvs.unknown-token');
  expect(unknown.found['token']).toMatchObject({ outcome: 'failed', remedy: 'keyferry login' });
  expect(unknown.found['sync']).toBeUndefined();
});

test('failed syncs and a disabled sync are told', async () => {
  const [destination, secret] = [await service.destination('cloud-a-sm'), await service.secret({ a: 'b' })];
  service.fake('cloud-a-sm').fail({ kind: 'denied' });
  await service.set('cloud-a-sm', destination, secret);
  const at = { address: service.address, token: service.rootToken };
  await runLine(['wait', `secret/${secret}`], at);
  await runLine(['pause', '--yes'], at);
  let found: Awaited<ReturnType<typeof examined>>['found'] = {};
  // The numbers of the overview may be a second old.
  await eventually(
    async () => {
      ({ found } = await examined(service.address, service.rootToken));
      return found['failures']?.outcome === 'failed' && found['sync']?.outcome === 'warning';
    },
    () => JSON.stringify(found),
  );
  await runLine(['resume'], at);
  expect(found['failures']).toMatchObject({
    finding: '1 CLIENT_SIDE_ERROR',
    remedy: 'keyferry records list --status CLIENT_SIDE_ERROR',
  });
  expect(found['sync']).toMatchObject({ outcome: 'warning', remedy: 'keyferry resume' });
});
