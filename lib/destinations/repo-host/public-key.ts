// Beyond the usual files: the host takes sealed values only, so the key of the location comes before each put.
import sodium from 'libsodium-wrappers';
import { z } from 'zod';
import type { Secret } from '../../core/secret.ts';
import { cannot } from '../frame/verb/verb.ts';
import type { Client } from './client.ts';
import { refusal, strangeHost } from './failure.ts';
import type { Location } from './location.ts';

/** The key of a location, to which values are sealed. The host replaces it now and then; `id` says which one it is. */
export interface PublicKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

const keyBytes = 32;
const keyBody = z.object({ key_id: z.string().min(1), key: z.base64() });

/** @throws DestinationFailure missing when the location itself is not there. */
export async function fetchPublicKey(client: Client, location: Location, signal: AbortSignal): Promise<PublicKey> {
  const step = `read the public key of ${location.text}`;
  const { route, parameters, rights } = location;
  const call = { route: `GET ${route}/public-key`, parameters, step, rights };
  const answer = await client.call(call, signal);
  if (answer.status !== 200) throw refusal(answer, call);
  const body = keyBody.safeParse(answer.data);
  const bytes = body.success ? Buffer.from(body.data.key, 'base64') : undefined;
  if (!body.success || bytes?.length !== keyBytes) throw cannot(step, strangeHost());
  return { id: body.data.key_id, bytes };
}

/** Base64 of a libsodium sealed box, which the host alone can open. */
export async function seal(value: Secret, key: PublicKey): Promise<string> {
  await sodium.ready;
  const plain = Buffer.from(value.reveal());
  try {
    return Buffer.from(sodium.crypto_box_seal(plain, key.bytes)).toString('base64');
  } finally {
    plain.fill(0);
  }
}
