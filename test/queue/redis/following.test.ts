import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { FollowingConnector } from '#queue/redis/following.ts';
import { Places } from '#queue/redis/places.ts';

/** A server whose refusal of a client without a certificate arrives after the handshake, as TLS 1.3 has it. */
async function refusing() {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
  const server = createServer({ cert, key, ca: cert, requestCert: true, minVersion: 'TLSv1.3' });
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

test('an error after an alert of the server does not end the process', async () => {
  const places = new Places([await refusing()]);
  const connector = new FollowingConnector({ places, family: 0, tls: { rejectUnauthorized: false } }, 100);
  const stream = await connector.connect();
  const [alert] = await once(stream, 'error');
  expect(alert).toMatchObject({ code: expect.stringMatching(/CERTIFICATE_REQUIRED|ECONNRESET/) });
  expect(stream.emit('error', new Error('write EPIPE'))).toBe(true);
});
