import { readFile } from 'node:fs/promises';
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';

/** Files with a certificate (and what it is signed by) and its key, as PEM. */
export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** A listener for TLS, which takes a new certificate while it listens. */
export interface TlsListener {
  readonly server: Server;
  /** Reads the files again, for connections from then on. @throws Error when they cannot be read or are no pair; nothing has changed then */
  reload(): Promise<void>;
}

/** For the handshake of a connection; a shorter limit of requests holds for it as well. */
const handshakeMsMax = 10_000;

/** The verbs are translated in the bytes of HTTP/1.1, so ALPN offers nothing else. */
export async function createTlsListener(
  options: ServerOptions & { readonly requestTimeout: number },
  listener: RequestListener,
  files: CertificateFiles,
): Promise<TlsListener> {
  const handshakeTimeout = Math.min(options.requestTimeout, handshakeMsMax);
  const tls = { minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'], handshakeTimeout } as const;
  const server = createServer({ ...options, ...tls, ...(await readPair(files)) }, listener);
  return {
    server,
    async reload() {
      server.setSecureContext({ minVersion: tls.minVersion, ...(await readPair(files)) });
    },
  };
}

async function readPair({ certificateFile, keyFile }: CertificateFiles) {
  const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
  return { cert, key };
}
