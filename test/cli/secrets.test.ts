import { expect, test } from 'vitest';
import { exitOf } from '#cli/verbs/sync/copies.ts';
import { targetOf } from '#cli/verbs/sync/target.ts';
import { runLine } from '../support/cli/line.ts';
import { serviceOf } from '../support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm']);
const at = (input = '') => ({ address: service.address, token: service.rootToken, input });

test('a secret comes from standard input, and numbers keep their digits', async () => {
  const path = `secret/${service.name('app')}`;
  const body = '{"password": "s3cret", "big": 12345678901234567890}';
  expect(await runLine(['kv', 'put', path, '-'], at(body))).toMatchObject({ code: 0 });
  expect((await runLine(['kv', 'get', path, '--field', 'big'], at())).output).toBe('12345678901234567890');
  expect((await runLine(['kv', 'patch', path, 'password=-', '--remove', 'big'], at('n3w\n'))).code).toBe(0);
  expect(JSON.parse((await runLine(['kv', 'get', path, '-o', 'json'], at())).output)).toEqual({ password: 'n3w' });
  expect((await runLine(['kv', 'get', path, '--version', '1', '-f', 'password'], at())).output).toBe('s3cret');
});

test.each([
  [['kv', 'put', 'secret/a', 'password=in-the-open'], ''],
  [['kv', 'put', 'secret/a', '-'], '{"password": "in-the-open"'],
  [['kv', 'put', 'secret/a', '-'], '["in-the-open"]'],
  [['destinations', 'create', 'cloud-a-sm/a', '-'], '{"secret_access_key": in-the-open}'],
  [['api', 'POST', 'sys/x', '-d', '{in-the-open'], ''],
])('%j is refused without repeating the value', async (argv, input) => {
  const { code, output, errors } = await runLine(argv, at(input));
  expect([code, output]).toEqual([2, '']);
  expect(errors).not.toContain('in-the-open');
});

test.each([
  [['kv', 'destroy', 'secret/a', '--versions', '1']],
  [['replay', '--all']],
  [['pause']],
  [['policies', 'delete', 'a']],
])('%j needs --yes without a terminal', async (argv) => {
  expect(await runLine(argv, at())).toMatchObject({ code: 2, errors: expect.stringContaining('needs --yes') });
});

test('the token of the caller is not in the reply to any request, unless asked for', async () => {
  const argv = ['api', 'GET', 'auth/token/lookup-self'];
  expect((await runLine(argv, at())).output).not.toContain(service.rootToken);
  expect((await runLine([...argv, '--reveal'], at())).output).toContain(service.rootToken);
});

test('a wait that takes too long ends with 7, and a failed copy with 1', async () => {
  const [destination, secret] = [await service.destination('cloud-a-sm'), await service.secret({ a: 'b' })];
  const to = `cloud-a-sm/${destination}`;
  await runLine(['pause', '--yes'], at());
  await service.set('cloud-a-sm', destination, secret).catch(() => {});
  const wait = ['wait', `secret/${secret}`, '--to', to, '--timeout'];
  expect((await runLine([...wait, '0s'], at())).code).toBe(7);
  service.fake('cloud-a-sm').fail({ kind: 'denied' });
  await runLine(['resume'], at());
  const { code, output } = await runLine([...wait, '2m', '-o', 'ndjson'], at());
  expect([code, JSON.parse(output)['status']]).toEqual([1, 'CLIENT_SIDE_ERROR']);
});

test('some failed copies among others are told by the exit code', () => {
  const copy = (status: string) => ({ destination: 'a/b', secret: 'c', status });
  expect(exitOf([copy('SYNCED'), copy('INTERNAL_ERROR')])).toBe('someFailed');
  expect(exitOf([copy('CLIENT_SIDE_ERROR')])).toBe('failed');
  expect(exitOf([copy('SYNCED')])).toBe('done');
  expect(exitOf([])).toBe('done');
});

test('a destination is a type and a name', () => {
  expect(targetOf('cloud-a-sm/prod', 'sync')).toEqual({ type: 'cloud-a-sm', name: 'prod' });
  for (const text of ['prod', 'a/b/c', '/prod', undefined]) expect(() => targetOf(text, 'sync')).toThrow();
});
