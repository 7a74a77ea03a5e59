import { copyFile, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Secret } from '#core/secret.ts';
import type { HttpServer } from '#http/server/server.ts';
import { fakeGatekeeper, type SampleParts, sampleServer } from '../sample.ts';
import { lastSignal } from '../sample-system.ts';
import { type RawClient, rawClient } from '../wire/raw.ts';
import { tlsClient, tlsFiles } from '../wire/tls.ts';

const open: HttpServer[] = [];
const head = 'Host: x\r\nX-Service-Token: root\r\n';
const list = `LIST /v1/secret HTTP/1.1\r\n${head}\r\n`;

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

async function start(changes: Partial<SampleParts> = {}) {
  const server = sampleServer(changes);
  open.push(server);
  const { port } = await server.listen({ port: 0, host: '127.0.0.1' });
  const client = await rawClient(port);
  onTestFinished(() => client.close());
  return { server, port, client };
}

/** A condition that another process on the machine causes. */
async function eventually(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a request target with scheme and host, as proxies send it, is reduced to its path', async () => {
  const { client } = await start();
  await client.send(`GET http://x:8200/v1/sys/open HTTP/1.1\r\n${head}\r\n`);
  expect(await client.next()).toMatchObject({ status: 200 });
  await client.send(list.replace('/v1', 'HTTPS://x/v1'));
  expect((await client.next()).status).toBe(404);
});

describe('requests that the parser refuses', () => {
  test.each([
    [
      'a control character in a token',
      `GET /v1/secret HTTP/1.1\r\nHost: x\r\nX-Vault-Token: a\x01b\r\n\r\n`,
      400,
      ['invalid header value'],
    ],
    ['a line end in a token', `GET /v1/secret HTTP/1.1\r\nHost: x\r\nX-Vault-Token: a\n\r\n\r\n`, 400, undefined],
    [
      'too many headers',
      `GET /v1/secret HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      ['request headers too large'],
    ],
    ['text that is not HTTP', 'hello\r\n\r\n', 405, []],
  ])('%s', async (_name, bytes, status, errors) => {
    const { client } = await start();
    await client.send(bytes);
    const answer = await client.next();
    expect(answer.status).toBe(status);
    expect(answer.head).toContain('Content-Type: application/json\r\n');
    const body = JSON.parse(answer.body);
    expect(body).toEqual({ errors: errors ?? [expect.any(String)] });
    await client.ended();
  });

  test('a head above the limit of the parser is refused however it is split', async () => {
    const { client } = await start();
    await client.send('LIST /v1/secret HTTP/1.1\r\nHost: x\r\n');
    for (let line = 0; line < 20; line += 1) await client.send(`X-${line}: ${'x'.repeat(1000)}\r\n`);
    expect((await client.next()).status).toBe(431);
  });

  test('a head that never ends is refused after its time limit', async () => {
    const { client } = await start({ requestTimeoutMs: 100 });
    await client.send('LIST /v1/secret HTTP/1.1\r\nHost: x\r\n');
    expect(await client.next()).toMatchObject({
      status: 408,
      body: '{"errors":["the request did not arrive in time"]}',
    });
    await client.ended();
  });

  test('a body that never ends is refused after its time limit', async () => {
    const { client } = await start({ requestTimeoutMs: 100 });
    await client.send(`POST /v1/secret/a HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n{`);
    expect((await client.next()).status).toBe(408);
    await client.ended();
  });
});

describe('bodies', () => {
  const limit = { bodyLimitBytes: 1000 };

  test('one that is too large gets 413 with errors, and the connection stays open', async () => {
    const { client } = await start(limit);
    await client.send(`POST /v1/secret/a HTTP/1.1\r\n${head}Content-Length: 5000\r\n\r\n${'x'.repeat(5000)}${list}`);
    expect(await client.next()).toMatchObject({
      status: 413,
      body: '{"errors":["request body too large: this path takes at most 1000 bytes"]}',
    });
    expect((await client.next()).status).toBe(404);
  });

  test('one that becomes too large in chunks gets 413', async () => {
    const { client } = await start(limit);
    const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;
    await client.send(
      `POST /v1/secret/a HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
    );
    expect((await client.next()).status).toBe(413);
  });

  test('a large one within the limit arrives complete', async () => {
    const { port } = await start({ bodyLimitBytes: 32 * 1024 * 1024 });
    const url = `http://127.0.0.1:${port}/v1/secret/large`;
    const headers = { 'x-service-token': 'root' };
    const text = 'LIST /x HTTP/1.1 '.repeat(500_000);
    const sent = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ text }) });
    expect(sent.status).toBe(204);
    const reply = await (await fetch(url, { headers })).text();
    expect(JSON.parse(reply).data.text === text).toBe(true);
  });

  test('one that is not UTF-8 is refused however it is split, and the connection stays open', async () => {
    const { client } = await start();
    const put = (bytes: string) =>
      `PUT /v1/secret/a HTTP/1.1\r\n${head}Content-Length: ${bytes.length}\r\n\r\n${bytes}`;
    const chunked = `PUT /v1/secret/a HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`;
    await client.send(put('{"a":"\xff"}'));
    const { status, body } = await client.next();
    expect(status).toBe(400);
    expect(JSON.parse(body).errors[0]).toContain('the request body is not valid UTF-8');
    await client.send(`${chunked}7\r\n{"a":"\xc3\r\n2\r\n"}\r\n0\r\n\r\n`);
    expect((await client.next()).status).toBe(400);
    await client.send(list);
    expect((await client.next()).status).toBe(404);
    await client.send(put('{"a":"\xc3\xa4"}'));
    await client.send(`${chunked}7\r\n{"b":"\xc3\r\n3\r\n\xa4"}\r\n0\r\n\r\n`);
    expect([(await client.next()).status, (await client.next()).status]).toEqual([204, 204]);
    await client.send(`GET /v1/secret/a HTTP/1.1\r\n${head}\r\n`);
    expect((await client.next()).body).toContain('"data":{"b":"\xc3\xa4"}');
  });

  test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded'])(
    'one of the type %s at a path that no service owns is left unread: the path is not found',
    async (type) => {
      const { client } = await start();
      const body = '{"a":';
      for (const verb of ['POST', 'PATCH']) {
        await client.send(
          `${verb} /sys/tools/random HTTP/1.1\r\n${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
        expect(await client.next()).toMatchObject({ status: 404, body: '{"errors":[]}' });
      }
    },
  );

  test('a body that stops in the middle is a bad request', async () => {
    const { client, port } = await start();
    await client.send(`POST /v1/secret/half HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n{"a":1}`);
    client.socket.end();
    await client.ended();
    const headers = { 'x-service-token': 'root' };
    expect((await fetch(`http://127.0.0.1:${port}/v1/secret/half`, { headers })).status).toBe(404);
  });
});

describe('connections', () => {
  test('a slow reader gets the whole answer', async () => {
    const { port } = await start();
    const headers = { 'x-service-token': 'root' };
    const text = 'x'.repeat(900_000);
    await fetch(`http://127.0.0.1:${port}/v1/secret/large`, { method: 'PUT', headers, body: JSON.stringify({ text }) });
    const slow = await rawClient(port);
    onTestFinished(() => slow.close());
    slow.socket.pause();
    await slow.send(`GET /v1/secret/large HTTP/1.1\r\n${head}\r\n`.repeat(10));
    await new Promise((resolve) => setTimeout(resolve, 50));
    slow.socket.resume();
    for (let index = 0; index < 10; index += 1) expect((await slow.next()).body.length).toBeGreaterThan(text.length);
  });

  test('a client that disconnects aborts its request', async () => {
    const { client } = await start();
    await client.send(`GET /v1/sys/slow HTTP/1.1\r\n${head}\r\n`);
    const before = lastSignal();
    await eventually(() => lastSignal() !== undefined && lastSignal() !== before);
    client.socket.destroy();
    await eventually(() => lastSignal()?.aborted === true);
    expect(lastSignal()?.aborted).toBe(true);
  });

  test('a connection that is reset during its answer affects no other', async () => {
    const { client, port } = await start();
    for (let index = 0; index < 20; index += 1) {
      const other = await rawClient(port);
      await other.send(list);
      other.socket.resetAndDestroy();
    }
    await client.send(list);
    expect((await client.next()).status).toBe(404);
  });
});

describe('heads', () => {
  test('a path with .. is refused as it was sent', async () => {
    const { client } = await start();
    await client.send(`GET /v1/secret/../sys/flat HTTP/1.1\r\n${head}\r\n`);
    expect(await client.next()).toMatchObject({ status: 400, body: '{"errors":["relative paths not supported"]}' });
  });

  test('a path in UTF-8 is escaped or refused', async () => {
    const { client } = await start();
    await client.send(`PUT /v1/secret/%C3%A4 HTTP/1.1\r\n${head}Content-Length: 7\r\n\r\n{"a":1}`);
    expect((await client.next()).status).toBe(204);
    await client.send(`GET /v1/secret/\xc3\xa4 HTTP/1.1\r\n${head}\r\n`);
    expect(await client.next()).toMatchObject({ status: 400, body: '{"errors":["malformed request"]}' });
  });

  test('HEAD gets the status of a read without its body', async () => {
    const { port } = await start();
    const reply = await fetch(`http://127.0.0.1:${port}/v1/sys/health`, { method: 'HEAD' });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe('');
  });

  test('an invalid content type gets 415', async () => {
    const { client } = await start();
    await client.send(`POST /v1/secret/a HTTP/1.1\r\n${head}Content-Type: none\r\nContent-Length: 2\r\n\r\n{}`);
    expect(await client.next()).toMatchObject({
      status: 415,
      body: '{"errors":["the Content-Type is not a media type"]}',
    });
  });
});

describe('closing', () => {
  test('ends idle connections at once', async () => {
    const { server, client } = await start();
    await client.send(list);
    await client.next();
    await server.close(60_000);
    await client.ended();
  });

  test('cuts off a request in flight after the grace period, and may be repeated', async () => {
    const { server, client } = await start();
    const before = lastSignal();
    await client.send(`GET /v1/sys/slow HTTP/1.1\r\n${head}\r\n`);
    await eventually(() => lastSignal() !== undefined && lastSignal() !== before);
    await Promise.all([server.close(20), server.close(20)]);
    await client.ended();
    expect(lastSignal()?.aborted).toBe(true);
  });

  test('answers a request in flight, and ends its connection with the answer', async () => {
    const { parts, reached, go } = held();
    const { server, client, port } = await start(parts);
    const idle = await rawClient(port);
    await client.send(list);
    await reached;
    const closed = server.close(60_000);
    await idle.ended();
    go();
    const answer = await client.next();
    expect(answer.status).toBe(404);
    expect(answer.head).toMatch(/connection: close/i);
    await client.ended();
    await closed;
  });

  test('waits for a request whose client has disconnected, within the grace period', async () => {
    const { parts, reached, go } = held();
    const { server, client } = await start(parts);
    await client.send(list);
    await reached;
    client.close();
    let isClosed = false;
    const closed = server.close(60_000).then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isClosed).toBe(false);
    go();
    await closed;
  });

  test('answers further requests on open connections with 503, and ends these', async () => {
    const { parts, reached, go } = held();
    const { server, client, port } = await start(parts);
    const begun = await rawClient(port);
    onTestFinished(() => begun.close());
    await begun.send(list.slice(0, 20));
    await roundTrip(client);
    await client.send(list);
    await reached;
    const closed = server.close(60_000);
    await begun.send(list.slice(20));
    const refused = await begun.next();
    expect(refused.status).toBe(503);
    expect(refused.head).toMatch(/connection: close/i);
    expect(JSON.parse(refused.body)).toEqual({ errors: ['the service is shutting down: nothing was done; try again'] });
    await begun.ended();
    go();
    await client.ended();
    await closed;
  });

  test('waits for a body that is still arriving, and ends the connection with the answer', async () => {
    const { server, client, port } = await start();
    await client.send(`PUT /v1/secret/a HTTP/1.1\r\n${head}Content-Length: 7\r\n\r\n{"a"`);
    await roundTrip(await rawClient(port));
    const closed = server.close(60_000);
    await client.send(':1}');
    const answer = await client.next();
    expect(answer.status).toBe(204);
    expect(answer.head).toMatch(/connection: close/i);
    await closed;
  });

  test('reports a port that is in use as an error of listen', async () => {
    const { port } = await start();
    const second = sampleServer();
    open.push(second);
    await expect(second.listen({ port, host: '127.0.0.1' })).rejects.toThrow(/EADDRINUSE/);
  });
});

/** Resolves when everything sent on other connections before has been read. */
async function roundTrip(client: RawClient): Promise<void> {
  await client.send('GET /v1/sys/health HTTP/1.1\r\nHost: x\r\n\r\n');
  expect((await client.next()).status).toBe(200);
}

/** A request for a token waits until `go`; `reached` resolves when it does. */
function held() {
  const gatekeeper = fakeGatekeeper();
  const [reached, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const authenticate = async (token: Secret) => {
    reached.resolve();
    await gone.promise;
    return gatekeeper.authenticate(token);
  };
  return { parts: { gatekeeper: { ...gatekeeper, authenticate } }, reached: reached.promise, go: gone.resolve };
}

describe('TLS', () => {
  test('negotiates HTTP/1.1 by ALPN, and supports LIST', async () => {
    const files = await tlsFiles();
    const server = sampleServer();
    open.push(server);
    const { port } = await server.listen({ port: 0, host: '127.0.0.1', tls: files.tls });
    const client = await tlsClient(port, files.certificate);
    expect(Reflect.get(client.socket, 'alpnProtocol')).toBe('http/1.1');
    for (let round = 0; round < 3; round += 1) {
      await client.drip(list);
      expect((await client.next()).status).toBe(404);
    }
    await server.close(0);
    await client.ended();
  });

  test('uses a new certificate while listening, and keeps the previous one when the new one is invalid', async () => {
    const [files, others] = [await tlsFiles(), await tlsFiles()];
    const server = sampleServer();
    open.push(server);
    const { port } = await server.listen({ port: 0, host: '127.0.0.1', tls: files.tls });
    await writeFile(files.tls.certificateFile, 'no certificate');
    await expect(server.reloadCertificates()).rejects.toThrow();
    await tlsClient(port, files.certificate);
    await Promise.all([
      copyFile(others.tls.certificateFile, files.tls.certificateFile),
      copyFile(others.tls.keyFile, files.tls.keyFile),
    ]);
    await server.reloadCertificates();
    await tlsClient(port, others.certificate);
    await expect(tlsClient(port, files.certificate)).rejects.toThrow(/certificate/);
  });

  test('reports a missing certificate as an error of listen', async () => {
    const server = sampleServer();
    open.push(server);
    const tls = { certificateFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' };
    await expect(server.listen({ port: 0, host: '127.0.0.1', tls })).rejects.toThrow(/ENOENT/);
  });
});
