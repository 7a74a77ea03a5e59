import { afterEach, expect, test } from 'vitest';
import { noAddresses } from '#core/address-list.ts';
import type { HttpServer } from '#http/server/server.ts';
import { connectionOf } from '#http/wire/connection/connection.ts';
import { sampleServer } from '../sample.ts';
import { rawClient } from './raw.ts';
import { tlsClient, tlsFiles } from './tls.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

const question =
  'GET /v1/sys/connection HTTP/1.1\r\nHost: x\r\nX-Service-Token: root\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n';

test('a handler gets the address of the peer, whatever a header says', async () => {
  const server = sampleServer();
  open.push(server);
  const client = await rawClient((await server.listen({ port: 0, host: '127.0.0.1' })).port);
  await client.send(question);
  expect(JSON.parse((await client.next()).body).data).toEqual({ remoteAddress: '127.0.0.1', tls: false });
  client.close();
});

test('a handler knows that the connection is encrypted', async () => {
  const files = await tlsFiles();
  const server = sampleServer();
  open.push(server);
  const { port } = await server.listen({ port: 0, host: '127.0.0.1', tls: files.tls });
  const client = await tlsClient(port, files.certificate);
  await client.send(question);
  expect(JSON.parse((await client.next()).body).data).toEqual({ remoteAddress: '127.0.0.1', tls: true });
  client.close();
});

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['::ffff:abcd', '::ffff:abcd'],
  [undefined, ''],
])('the address of a socket at %s is %j', (remoteAddress, shown) => {
  expect(connectionOf({ remoteAddress }, {}, noAddresses).remoteAddress).toBe(shown);
});
