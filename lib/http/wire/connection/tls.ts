import { readFile } from 'node:fs/promises';
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';

/** PEM files with a certificate chain and its key. */
export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** A TLS listener whose certificate can be replaced while it listens. */
export interface TlsListener {
  readonly server: Server;
  /** Reads the files again, for new connections. @throws Error when they are unreadable or do not match; nothing changes then */
  reload(): Promise<void>;
}

/** Limit for the TLS handshake; a shorter limit for requests applies to it too. */
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
