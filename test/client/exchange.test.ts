import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openClient } from '#client/client.ts';
import { filledPath } from '#client/operation.ts';
import type { Connection } from '#client/wire/connection.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { Secret } from '#core/secret.ts';

async function serve(listener: RequestListener): Promise<Connection> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    namespace: '',
    token: new Secret('hvs.client-token'),
    certificates: undefined,
    skipVerify: false,
    timeoutMs: 60_000,
    attemptsMax: 3,
    retryMsFirst: 1,
  };
}

const read = { method: 'GET', path: 'v1/x' } as const;

/** Replies with these statuses in turn, and counts. */
function inTurn(...statuses: readonly number[]) {
  const seen = { count: 0 };
  const listener: RequestListener = (_request, reply) => {
    const status = statuses[seen.count] ?? 200;
    seen.count += 1;
    reply
      .writeHead(status, { 'content-type': 'application/json' })
      .end(status === 200 ? '{"data":1}' : '{"errors":["no"]}');
  };
  return { seen, listener };
}

test.each([[429], [502], [503], [504]])('a read is repeated after status %i', async (status) => {
  const { seen, listener } = inTurn(status, status);
  expect((await openClient(await serve(listener)).ask(read)).data).toBe(1);
  expect(seen.count).toBe(3);
});

test('a read is repeated after a broken connection, and not for ever', async () => {
  let count = 0;
  const connection = await serve((request) => {
    count += 1;
    request.socket.destroy();
  });
  await expect(openClient(connection).ask(read)).rejects.toMatchObject({ kind: 'unreachable' });
  expect(count).toBe(3);
});

test('a change is sent once, whatever happens to it', async () => {
  const { seen, listener } = inTurn(503);
  const change = { method: 'POST', path: 'v1/x', body: {} };
  await expect(openClient(await serve(listener)).ask(change)).rejects.toMatchObject({ status: 503, errors: ['no'] });
  expect(seen.count).toBe(1);
});

test('a refusal that time does not mend is not repeated', async () => {
  const { seen, listener } = inTurn(403);
  await expect(openClient(await serve(listener)).ask(read)).rejects.toMatchObject({ kind: 'refused', status: 403 });
  expect(seen.count).toBe(1);
});

test('a server that does not reply ends with a timeout', async () => {
  const connection = { ...(await serve(() => {})), timeoutMs: 50 };
  await expect(openClient(connection).ask(read)).rejects.toMatchObject({ kind: 'timeout' });
});

test('a caller that gives up cancels the call', async () => {
  const interruption = new AbortController();
  const connection = await serve(() => interruption.abort());
  await expect(openClient(connection, interruption.signal).ask(read)).rejects.toMatchObject({ kind: 'cancelled' });
});

test('a refusal has the errors, the problems of fields and the warnings of the reply', async () => {
  const body = { errors: ['1 error occurred:\n\t* no\n\n'], problems: [{ field: 'a', message: 'b' }], warnings: ['w'] };
  const connection = await serve((_request, reply) => reply.writeHead(400).end(JSON.stringify(body)));
  const error = await openClient(connection)
    .ask(read)
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(CallFailure);
  expect(error).toMatchObject({ message: 'no', problems: [{ field: 'a', message: 'b' }], warnings: ['w'] });
});

test('a reply that is not JSON is unreadable', async () => {
  const connection = await serve((_request, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
  });
  await expect(openClient(connection).ask(read)).rejects.toMatchObject({ kind: 'unreadable' });
});

test('a download from another server does not get the token, and a redirect is not followed', async () => {
  const heads: (string | undefined)[] = [];
  const other = await serve((request, reply) => {
    heads.push(request.headers['x-service-token'] as string | undefined, request.headers.authorization);
    reply.end('state');
  });
  const own = await serve((_request, reply) => reply.writeHead(302, { location: other.address }).end());
  expect(String(await openClient(own).download(`${other.address}/file`))).toBe('state');
  await expect(openClient(own).ask(read)).rejects.toMatchObject({ kind: 'refused', status: 302 });
  expect(heads).toEqual([undefined, undefined]);
});

test('parameters are encoded, their slashes stay, and no segment climbs', () => {
  expect(filledPath('{mount}/data/{path}', { mount: 'kv/', path: '/a b/c?d' })).toBe('kv/data/a%20b/c%3Fd');
  expect(() => filledPath('{path}', { path: 'a/../b' })).toThrow('cannot have the segment');
});
