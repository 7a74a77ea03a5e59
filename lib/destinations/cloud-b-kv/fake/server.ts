import { createServer } from 'node:https';
import { generate } from 'selfsigned';
import type { Reaction } from '../../frame/fake/faults.ts';
import { type Answer, type Question, restExchange } from '../../frame/fake/rest.ts';
import { type Served, serve } from '../../frame/fake/server.ts';

export interface ServedVault extends Served {
  readonly url: string;
  /** PEM of the server's own certificate. */
  readonly certificate: string;
}

/** Serves https, which the SDK requires. */
export async function serveVault(port: number, react: (question: Question) => Reaction<Answer>): Promise<ServedVault> {
  const { cert, private: key } = await newCertificate();
  const served = await serve(
    (listener) => createServer({ cert, key }, listener),
    port,
    restExchange('https', 'x-ms-request-id', react),
  );
  return { ...served, url: `https://127.0.0.1:${served.port}`, certificate: cert };
}

/** PEM of a key and of a self-signed certificate. */
export function newCertificate(commonName = 'key vault stand-in') {
  return generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
}
