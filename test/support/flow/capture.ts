import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { newCertificate } from '#destinations/cloud-b-kv/fake/server.ts';

/** A server that records everything it receives, as an attacker's server that collects credentials would. */
export interface Capture {
  readonly url: string;
  readonly port: number;
  /** PEM, for `tls_ca_cert`. */
  readonly certificate: string;
  /** The requests so far: request line, headers and body of each. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** It demands a token, as a key vault does for requests without one. */
const challenge = 'Bearer authorization="https://login.microsoftonline.com/x", resource="https://vault.azure.net"';

export async function startCapture(): Promise<Capture> {
  const { cert, private: key } = await newCertificate();
  const requests: string[] = [];
  const server = https.createServer({ cert, key }, async (request, response) => {
    const line = `${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)}`;
    const at = requests.push(line) - 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    requests[at] = `${line} ${Buffer.concat(chunks)}`;
    response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': challenge }).end('{}');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    certificate: cert,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
