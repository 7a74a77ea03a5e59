import type { RequestListener } from 'node:http';
import https from 'node:https';
import { selfSigned } from './self-signed.ts';

export interface HttpsServer {
  /** Without a trailing slash. */
  readonly address: string;
  /** The certificate to trust, PEM. */
  readonly certificate: string;
  close(): void;
}

/** An HTTPS server on a free port of 127.0.0.1, with a certificate for `names`. */
export async function startHttps(
  listener: RequestListener,
  names: readonly string[] = ['localhost'],
): Promise<HttpsServer> {
  const { cert, key } = await selfSigned(names);
  const server = https.createServer({ cert, key }, listener);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return {
    address: `https://localhost:${port}`,
    certificate: cert,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
