import { Digits, isObject, textOf, type Value } from '#client/wire/json.ts';
import type { Row } from './rows.ts';

export const mask = '••••••••';

/** Members that hold secrets, wherever they are. */
const secretNames =
  /token|secret|password|passphrase|private|credential|recovery|unseal|nonce|plaintext|ciphertext|signature|otp|jwt|barcode|-url$|_url$|^url$|^keys_base64$|^key$|^value$/i;
/** Names that only look like it. */
const plainNames =
  /^(?:token_(?:ttl|max_ttl|type|policies|period|num_uses|bound_cidrs)|secret_name.*|secret_id_(?:ttl|num_uses)|public_key)$/i;

type Asked = Pick<Row, 'tag' | 'service' | 'path' | 'method' | 'parameters'>;

/**
 * The reply with secrets in place of which dots are shown: all values of secrets engines, and what has the name of a secret.
 * @param isList it lists names. An engine without versions may have any key in its secrets, also `keys`.
 */
export function masked(reply: Value, row: Asked, isList: boolean): Value {
  const isOfEngine = row.service === 'v1' && row.tag === 'secrets';
  const plain = isList ? 'keys' : readsVersion(row) ? 'metadata' : undefined;
  const holdsKeys = /^\/v1\/sys\/(?:init|rekey|generate-root|unseal)/.test(row.path);
  return hide(reply, [], (way) => {
    if (isOfEngine && way[0] === 'data' && way[1] !== plain) return true;
    if (holdsKeys && way[0] === 'keys') return true;
    return way.some((name) => secretNames.test(name) && !plainNames.test(name));
  });
}

/** Whether a reply has the metadata of a version beside its values, which is so for reads that can choose one. */
const readsVersion = ({ method, parameters }: Asked): boolean =>
  method === 'GET' && parameters.some((one) => textOf(one, 'in') === 'query' && textOf(one, 'name') === 'version');

function hide(value: Value, way: readonly string[], isSecret: (way: readonly string[]) => boolean): Value {
  if (Array.isArray(value)) return value.map((one: Value) => hide(one, way, isSecret));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, one === undefined ? one : hide(one, [...way, name], isSecret)]),
    );
  const isText = (typeof value === 'string' && value !== '') || typeof value === 'number' || value instanceof Digits;
  return isText && isSecret(way) ? mask : value;
}
