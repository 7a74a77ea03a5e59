import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runLine } from '../support/cli/line.ts';
import { serviceOf } from '../support/flow/open-service.ts';

// What the command line makes of the answers of a server, when they are not the usual ones.
const service = serviceOf(['cloud-a-sm']);
const at = (options = {}) => ({ address: service.address, token: service.rootToken, ...options });

/** A server in front of the service, or without one. */
async function serverOf(answer: (path: string) => { status: number; headers?: Record<string, string>; body?: string }) {
  const server = createServer(({ url = '' }, reply) => {
    const { status, headers = {}, body = '' } = answer(url);
    reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a secret, a version or a mount that is missing is told with the command that shows what is there', async () => {
  const secret = `secret/${await service.secret({ a: 'b' })}`;
  const refused = async (line: readonly string[], code: number, message: string, next: string) =>
    expect(await runLine(line, at())).toMatchObject({
      code,
      output: '',
      errors: expect.stringMatching(`^keyferry: ${message}\n {2}next: keyferry ${next}\n$`),
    });
  await refused(['kv', 'get', 'secret/none'], 1, 'there is no secret secret/none', 'kv list secret');
  await refused(['kv', 'history', 'secret/none'], 1, 'there is no secret secret/none', 'kv list secret');
  const late = `${secret} has no such version, or it is deleted`;
  await refused(['kv', 'get', secret, '--version', '9'], 1, late, `kv history ${secret}`);
  await runLine(['kv', 'delete', secret], at());
  await refused(['kv', 'get', secret], 1, late, `kv history ${secret}`);
  await refused(['kv', 'list', 'secret/none/here'], 1, 'there is nothing in secret/none/here', 'kv list secret/none');
  await refused(['kv', 'get', 'secret'], 2, 'secret/ is a mount: name a secret in it, .*', 'kv list secret');
  await refused(['kv', 'get', 'nope/x'], 4, 'there is no mount for nope/x, .*', 'api GET sys/internal/ui/mounts');
  await refused(['records', 'get', '999999'], 1, 'nothing is there .*', 'records list');
  await refused(['plan', 'cloud-a-sm/none'], 1, 'nothing is there .*', 'destinations list');
  await refused(['tokens', 'renew'], 1, 'this token never ends, .*', 'whoami');
});

test('a plan of a secret that is not associated is no empty plan', async () => {
  const target = `cloud-a-sm/${await service.destination('cloud-a-sm')}`;
  expect(await runLine(['plan', target, '--secret', 'secret/none'], at())).toMatchObject({
    code: 1,
    errors: expect.stringContaining(`next: keyferry sync secret/none --to ${target}`),
  });
  expect((await runLine(['plan', target], at())).errors).toBe('nothing differs; objects looked at: 0\n');
});

test('warnings of the server are shown, each once', async () => {
  const target = `cloud-a-sm/${await service.destination('cloud-a-sm')}`;
  const edited = await runLine(['destinations', 'edit', target, '-'], at({ input: '{"bogus": 1}' }));
  expect(edited).toMatchObject({
    code: 0,
    errors: 'warning: Endpoint ignored these unrecognized parameters: [bogus]\n',
  });
  const revoked = await runLine(['tokens', 'revoke', 'nope', '--yes'], at());
  expect(revoked).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('nothing was revoked') });
});

test('without a token the next command is the login, and a field is told once', async () => {
  expect(await runLine(['kv', 'get', 'secret/a'], { address: service.address })).toMatchObject({
    code: 4,
    errors: expect.stringMatching(/there is no token .*\n {2}next: keyferry login\n$/),
  });
  const { errors } = await runLine(['records', 'list', '--kind', 'X'], at());
  expect(errors.split('kind "X" is unknown')).toHaveLength(2);
});

test('a redirect, a page of another server and a namespace that is missing are explained', async () => {
  const moved = await serverOf(() => ({ status: 301, headers: { location: 'https://elsewhere/' } }));
  expect(await runLine(['status'], at({ address: moved }))).toMatchObject({
    code: 1,
    output: '',
    errors: expect.stringContaining('the server redirects to https://elsewhere/'),
  });
  const other = await serverOf(() => ({ status: 404, headers: { 'content-type': 'text/html' }, body: '<p>none</p>' }));
  expect((await runLine(['status'], at({ address: other }))).errors).toContain('that of a Keyferry server?');
  expect((await runLine(['status', '--namespace', 'none'], at())).errors).toContain(
    'next: keyferry api LIST sys/namespaces --namespace ""',
  );
});

const batch = (state: string) => JSON.stringify({ data: { id: 'b-1', state, progress: 0.5, total: 1 } });

test('a wait outlasts an outage of the server, once it has begun', async () => {
  let looks = 0;
  const address = await serverOf((path) => {
    if (!path.endsWith('/b-1')) return { status: 200, body: batch('running') };
    looks += 1;
    return looks === 2
      ? { status: 503, body: '{"errors":["the database cannot serve this now"]}' }
      : { status: 200, body: batch(looks === 1 ? 'running' : 'done') };
  });
  const environment = { KEYFERRY_MAX_RETRIES: '0' };
  const replayed = await runLine(['replay', '--all', '--yes', '--wait'], at({ address, environment }));
  expect(replayed).toMatchObject({
    code: 0,
    errors: expect.stringContaining('the database cannot serve this now; looking again\n'),
  });
  const away = await serverOf(() => ({ status: 503, body: '{"errors":["away"]}' }));
  expect(await runLine(['wait', 'secret/a'], at({ address: away, environment }))).toMatchObject({
    code: 1,
    errors: expect.stringContaining('next: keyferry doctor'),
  });
});

test('an interrupted wait, and one that takes too long, name the batch that goes on', async () => {
  const interruption = new AbortController();
  const address = await serverOf(() => ({ status: 200, body: batch('running') }));
  const line = ['replay', '--all', '--yes', '--wait'];
  const onError = (text: string) => {
    if (text.startsWith('running')) interruption.abort();
  };
  const next = 'it goes on in the background\n  next: keyferry batches get b-1\n';
  expect(await runLine(line, at({ address, signal: interruption.signal, onError }))).toMatchObject({
    code: 130,
    errors: expect.stringContaining(`keyferry: interrupted; ${next}`),
  });
  expect(await runLine([...line, '--timeout', '0s'], at({ address }))).toMatchObject({
    code: 7,
    errors: expect.stringContaining(`keyferry: not done within 0 s; ${next}`),
  });
  expect(await runLine(['status', '--watch'], at({ signal: AbortSignal.abort() }))).toMatchObject({
    code: 130,
    errors: expect.stringContaining('keyferry: interrupted\n'),
  });
});

test('a text that is printed as it is becomes a value where a format is asked for', async () => {
  const secret = `secret/${await service.secret({ a: 'b"c' })}`;
  const field = ['kv', 'get', secret, '--field', 'a'];
  expect((await runLine(field, at())).output).toBe('b"c');
  expect((await runLine([...field, '-o', 'json'], at())).output).toBe('"b\\"c"\n');
  expect((await runLine(field, at({ environment: { KEYFERRY_FORMAT: 'json' } }))).output).toBe('b"c');
  const policy = await runLine(['policies', 'get', 'default', '-o', 'json'], at());
  expect(JSON.parse(policy.output)).toMatchObject({ name: 'default', policy: expect.stringContaining('path') });
});
