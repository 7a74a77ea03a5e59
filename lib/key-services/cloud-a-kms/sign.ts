import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { SignatureV4 } from '@smithy/signature-v4';
import { AppError } from '../../core/errors.ts';
import { Sha256 } from './sha256.ts';

/** Who asks. The default is the provider's own chain: environment, container, function, service account, instance. */
export type Credentials = () => Promise<Identity>;

interface Identity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Signs one request; answers its headers. @throws AppError `unavailable` when there are no credentials */
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
    // The client sets it by itself.
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
