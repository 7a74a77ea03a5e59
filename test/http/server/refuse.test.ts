import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { HttpServer } from '#http/server/server.ts';
import { sampleServer } from '../sample.ts';
import { type RawClient, rawClient } from '../wire/raw.ts';
import { tlsClient, tlsFiles } from '../wire/tls.ts';

const open: HttpServer[] = [];
const head = 'Host: x\r\nX-Service-Token: root\r\n';
const list = `LIST /v1/secret HTTP/1.1\r\n${head}\r\n`;

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

function newServer(): HttpServer {
  const server = sampleServer();
  open.push(server);
  return server;
}

async function start() {
  const { port } = await newServer().listen({ port: 0, host: '127.0.0.1' });
  const client = await rawClient(port);
  onTestFinished(() => client.close());
  return { port, client };
}

async function startTls(): Promise<RawClient> {
  const { tls, certificate } = await tlsFiles();
  const { port } = await newServer().listen({ port: 0, host: '127.0.0.1', tls });
  return tlsClient(port, certificate);
}

describe('malformed requests', () => {
  const bodyless = 'GET /v1/sys/health HTTP/1.1\r\nHost: x\r\n';
  const refused = [
    ['HTTP/1.1 without Host', 'GET /v1/sys/health HTTP/1.1\r\n\r\n', 400, ['the request has no Host header']],
    [
      'an unknown expectation',
      `${bodyless}Expect: zz\r\n\r\n`,
      417,
      ['the only supported Expect header is 100-continue'],
    ],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', 405, []],
    ['two Hosts', `${bodyless}hOST: x\r\n\r\n`, 400, ['the request has more than one Host header']],
  ] as const;

  const expectRefusal = async (client: RawClient, bytes: string, status: number, errors: readonly string[]) => {
    await client.send(bytes);
    const answer = await client.next();
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ errors });
    expect(answer.head).toContain('Content-Type: application/json\r\n');
    expect(answer.head).toMatch(/connection: close/i);
    await client.ended();
  };

  test.each(refused)('%s gets an answer with errors, and its connection ends', async (_name, bytes, status, errors) => {
    await expectRefusal((await start()).client, bytes, status, errors);
  });

  test.each(refused)('%s gets the same answer over TLS', async (_name, bytes, status, errors) => {
    await expectRefusal(await startTls(), bytes, status, errors);
  });

  test('the body of a request without Host is not read as another request', async () => {
    const { client } = await start();
    await client.send(`POST /v1/secret/a HTTP/1.1\r\nContent-Length: ${list.length}\r\n\r\n${list}`);
    expect((await client.next()).status).toBe(400);
    await expect(client.next()).rejects.toThrow('left over: ""');
  });

  test.each(['HTTP/1.0\r\n', 'HTTP/1.1\r\nHost:\r\n'])('%j is a valid Host', async (rest) => {
    const { client } = await start();
    await client.send(`GET /v1/sys/health ${rest}\r\n`);
    expect((await client.next()).status).toBe(200);
  });

  test('a request with Expect: 100-continue may send its body and is answered', async () => {
    const { client } = await start();
    await client.send(`PUT /v1/secret/a HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 7\r\n\r\n`);
    expect((await client.next()).status).toBe(100);
    await client.send('{"a":1}');
    expect((await client.next()).status).toBe(204);
  });

  test('the answer to CONNECT is not sent as the answer to an earlier request', async () => {
    const { client } = await start();
    await client.send(`GET /v1/sys/slow HTTP/1.1\r\n${head}\r\nCONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n`);
    await expect(client.next()).rejects.toThrow('left over: ""');
  });

  test('a CONNECT whose client disconnects affects no other request', async () => {
    const { client, port } = await start();
    for (let index = 0; index < 20; index += 1) {
      const other = await rawClient(port);
      await other.send(`CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n${'x'.repeat(100_000)}`);
      other.socket.resetAndDestroy();
    }
    await client.send(list);
    expect((await client.next()).status).toBe(404);
  });
});
