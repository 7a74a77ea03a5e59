import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { SignatureV4 } from '@smithy/signature-v4';
import { AppError } from '#core/errors.ts';

/** The credentials. The default is the provider's own chain: environment, container, function, service account, instance. */
export type Credentials = () => Promise<Identity>;

interface Identity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Signs one request and returns its headers. @throws AppError `unavailable` when there are no credentials */
export function openSigner(region: string, credentials: Credentials = defaultProvider({ clientConfig: { region } })) {
  const signer = new SignatureV4({
    service: 'kms',
    region,
    sha256: Sha256,
    credentials: () => identityOf(credentials),
  });
  return async (url: URL, headers: Readonly<Record<string, string>>, body: string) => {
    const { hostname, protocol, port, pathname, host } = url;
    const signed = await signer.sign({
      method: 'POST',
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: pathname,
      query: {},
      headers: { ...headers, host, 'content-type': 'application/x-amz-json-1.1' },
      body,
    });
    // The HTTP client sets this header.
    const { host: _host, ...sent } = signed.headers;
    return sent;
  };
}

async function identityOf(credentials: Credentials): Promise<Identity> {
  try {
    return await credentials();
  } catch (cause) {
    const text = 'cloud-a-kms: this process has no credentials: give it a role, or credentials in its environment';
    throw new AppError('unavailable', text, { cause });
  }
}

type Data = string | ArrayBuffer | ArrayBufferView;

/** SHA-256 or its HMAC, in the form that the signer expects. */
class Sha256 {
  readonly #secret: Data | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: Data) {
    this.#secret = secret;
    this.#hash = this.#begin();
  }

  update(data: Data): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    this.#hash = this.#begin();
  }

  #begin(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(this.#secret));
  }
}

function bytesOf(data: Data): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
