import { expect, test } from 'vitest';
import { explained } from '#cli/command/explain.ts';
import { CommandFailure, exitCodes } from '#cli/failure.ts';
import { redacted } from '#cli/output/redact.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { Secret } from '#core/secret.ts';
import { runLine } from '../support/cli/line.ts';

const refused = (status: number, ...errors: readonly string[]) =>
  new CallFailure('refused', errors.join(), { request: 'GET /v1/secret/data/app', status, errors });
const without = (kind: 'timeout' | 'unreachable' | 'untrusted' | 'cancelled') =>
  new CallFailure(kind, 'no reply', { request: 'GET /v1/sys/health' });

test.each([
  [refused(400, 'no field x'), 1, 'keyferry kv get --help'],
  [refused(403, 'permission denied'), 4, 'keyferry whoami secret/data/app'],
  [refused(403, 'permission denied', 'invalid token'), 4, 'keyferry login'],
  [refused(401, 'unauthorized'), 4, 'keyferry login'],
  [refused(503, 'Vault is sealed'), 5, 'keyferry unseal'],
  [refused(503, 'the queue is full'), 1, 'keyferry doctor'],
  [without('timeout'), 7, 'keyferry status'],
  [without('unreachable'), 1, 'keyferry status'],
  [without('untrusted'), 1, 'keyferry status'],
  [without('cancelled'), 130, 'keyferry status'],
  [new CommandFailure('differences', 'two', 'keyferry status'), 3, 'keyferry status'],
  [new Error('broken'), 1, 'keyferry kv get --help'],
])('%s has an exit code and a next command', (error, code, next) => {
  const failure = explained(error, 'kv get');
  expect([exitCodes[failure.exit], failure.next]).toEqual([code, next]);
});

test('errors of fields are lines of their own', () => {
  const problems = [{ field: 'region', message: 'is required' }];
  const error = new CallFailure('refused', 'wrong fields', { request: 'POST /v1/x', status: 400, problems });
  expect(explained(error, 'api').message).toContain('\n  region: is required');
});

test('a secret is replaced in a message', () => {
  expect(redacted('the token hvs.abcdef is bad', [new Secret('hvs.abcdef')])).toBe('the token [secret] is bad');
});

test.each([
  [['stats'], 'unknown command'],
  [['status', '--bad'], 'unknown option'],
  [['status', '--watch', '--times', 'x'], 'whole number'],
  [['status', '-o', 'xml'], 'no format'],
  [[], 'Usage'],
])('the command line %j is refused with status 2', async (argv, said) => {
  const { code, output, errors } = await runLine(argv);
  expect([code, output]).toEqual([2, '']);
  expect(errors).toContain(said);
  expect(errors).toMatch(/next: keyferry .*--help|keyferry <command> --help/);
});

test('help and version are data, and succeed', async () => {
  expect(await runLine(['--version'])).toEqual({ code: 0, output: '0.0.0\n', errors: '' });
  expect(await runLine(['status', '--help'])).toMatchObject({ code: 0, output: expect.stringContaining('Examples:') });
});

test('a server that is not there fails with the next command', async () => {
  const environment = { KEYFERRY_MAX_RETRIES: '0' };
  const { code, errors } = await runLine(['status'], { address: 'http://127.0.0.1:9', environment });
  expect(code).toBe(1);
  expect(errors).toContain('http://127.0.0.1:9 cannot be reached: ECONNREFUSED');
  expect(errors).toContain('next: keyferry status');
});
