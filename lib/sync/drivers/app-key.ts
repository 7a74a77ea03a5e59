import { isJsonObject, parseJson } from '#core/json/json.ts';
import { Secret } from '#core/secret.ts';
import type { AppAddresses, AppCredentials, SharedCredential } from '#destinations/contract.ts';
import type { Store } from '#store/store.ts';

type Barrier = Pick<Store, 'barrier'>;
type Sealed = Pick<SharedCredential, 'sealedAs'>;

/** The private key of an app, and the addresses where it logs in. */
export type AppKey = Pick<AppCredentials, 'privateKey' | 'addresses'>;

/**
 * Seals key and addresses together, so that write access to the database is not enough to send a key to another host. A key
 * without addresses is sealed as the bare PEM.
 */
export function sealAppKey({ barrier }: Barrier, { sealedAs }: Sealed, name: string, key: AppKey): Buffer {
  const { privateKey, addresses } = key;
  const bare = Object.values(addresses).every((address) => address === undefined);
  const text = bare ? privateKey.reveal() : JSON.stringify({ ...addresses, private_key: privateKey.reveal() });
  return barrier.seal(text, `${sealedAs}/${name}`);
}

export function openAppKey({ barrier }: Barrier, { sealedAs }: Sealed, name: string, sealed: Buffer): AppKey {
  const text = barrier.open(sealed, `${sealedAs}/${name}`).toString();
  if (!text.startsWith('{')) return { privateKey: new Secret(text), addresses: {} };
  const details = parseJson(text);
  if (!isJsonObject(details)) throw new Error(`the key of app ${JSON.stringify(name)} cannot be read`);
  return { privateKey: new Secret(textOf(details['private_key']) ?? ''), addresses: addressesOf(details) };
}

/** The addresses among the fields of an app or of a connection. */
export function addressesOf(fields: Readonly<Record<string, unknown>>): AppAddresses {
  const [endpoint, enterprise_url] = [textOf(fields['endpoint']), textOf(fields['enterprise_url'])];
  return { ...(endpoint !== undefined && { endpoint }), ...(enterprise_url !== undefined && { enterprise_url }) };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
