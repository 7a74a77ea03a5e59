import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';

/** Starts a server on a free loopback port; it is closed with the test. */
export async function listen(server: http.Server | https.Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, host, ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return portOf(server.address());
}

export const portOf = (address: string | AddressInfo | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

/** Answers every request with `body`. */
export const answering = (body: string) => http.createServer((_request, response) => response.end(body));

/** An https server for `localhost` and 127.0.0.1, with the certificate to trust. */
export async function secure(body: string, commonName = 'localhost') {
  const { cert, private: key } = await generate([{ name: 'commonName', value: commonName }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' } as const, { type: 7, ip: '127.0.0.1' }] },
    ],
  });
  return { cert, server: https.createServer({ cert, key }, (_request, response) => response.end(body)) };
}
