import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';
import { type RawClient, rawClient } from './raw.ts';

/** A certificate for `localhost` with its key, as files that exist until the test ends. */
export async function tlsFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-tls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
  const tls = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  await Promise.all([writeFile(tls.certificateFile, cert), writeFile(tls.keyFile, key)]);
  return { tls, certificate: cert };
}

/** A client that trusts the certificate and prefers HTTP/2. */
export async function tlsClient(port: number, certificate: string): Promise<RawClient> {
  const ALPNProtocols = ['h2', 'http/1.1'];
  const socket = connect({ port, host: '127.0.0.1', ca: certificate, servername: 'localhost', ALPNProtocols });
  await once(socket, 'secureConnect');
  const client = await rawClient(port, socket);
  onTestFinished(() => client.close());
  return client;
}
