import { once } from 'node:events';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { HttpServer } from '#http/server/server.ts';
import { sampleServer } from '../sample.ts';
import { tlsClient, tlsFiles } from './tls.ts';

const open: HttpServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

async function start(requestTimeoutMs = 2_000) {
  const { tls, certificate } = await tlsFiles();
  const server = sampleServer({ requestTimeoutMs });
  open.push(server);
  const { port } = await server.listen({ port: 0, host: '127.0.0.1', tls });
  return { port, certificate, server };
}

/** A connection whose bytes are not a complete handshake. */
async function stranger(port: number, bytes: Buffer | string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (bytes.length > 0) socket.write(bytes);
  socket.resume();
  return socket;
}

const ended = (socket: Socket): Promise<unknown> => (socket.closed ? Promise.resolve() : once(socket, 'close'));

/** The first bytes that a TLS client sends. */
async function clientHello(): Promise<Buffer> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  const client = connectTls({ port: address.port, host: '127.0.0.1', servername: 'localhost' });
  client.on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

test.each([
  ['sends nothing', async () => ''],
  ['sends half a ClientHello', async () => (await clientHello()).subarray(0, 60)],
  ['sends a ClientHello and then nothing', clientHello],
  ['speaks plain HTTP', async () => 'GET /v1/sys/health HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['sends bytes that are not TLS', async () => Buffer.from([0x16, 0x03, 0x01, 0xff, 0xff, 0x00])],
])('a TLS connection whose client %s is closed, and the next client is served', async (_name, bytes) => {
  const { port, certificate } = await start();
  const greeting = await bytes();
  const strangers = await Promise.all(Array.from({ length: 20 }, () => stranger(port, greeting)));
  await Promise.all(strangers.map(ended));
  const client = await tlsClient(port, certificate);
  await client.send('GET /v1/sys/open HTTP/1.1\r\nHost: x\r\nX-Service-Token: root\r\n\r\n');
  expect((await client.next()).status).toBe(200);
});

test('a client that half-closes in the middle of a handshake does not keep its connection', async () => {
  const { port } = await start();
  const socket = await stranger(port, (await clientHello()).subarray(0, 30));
  socket.end();
  await ended(socket);
});

test('a server that closes does not wait for a handshake that never ends', async () => {
  const { port, server } = await start(600_000);
  const socket = await stranger(port, '');
  // The handshake's own limit is 10 s.
  const waits = new Promise((resolve) => setTimeout(resolve, 9_000, 'waits').unref());
  expect(await Promise.race([server.close(50).then(() => 'closed'), waits])).toBe('closed');
  await ended(socket);
});
