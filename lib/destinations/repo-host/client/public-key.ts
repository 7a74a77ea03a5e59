// Beyond the usual files: the host accepts only sealed values, so each put needs the public key of the location.
import sodium from 'libsodium-wrappers';
import { z } from 'zod';
import type { Secret } from '#core/secret.ts';
import { cannot } from '../../frame/verb/verb.ts';
import { refusal, strangeHost } from '../failure.ts';
import type { Location } from '../fields/location.ts';
import type { Client } from './client.ts';

/** The key of a location for sealing values. The host replaces it from time to time; `id` identifies it. */
export interface PublicKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

const keyBytes = 32;
const keyBody = z.object({ key_id: z.string().min(1), key: z.base64() });

/** @throws DestinationFailure missing when the location does not exist */
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

/** Base64 of a libsodium sealed box, which only the host can open. */
export async function seal(value: Secret, key: PublicKey): Promise<string> {
  await sodium.ready;
  const plain = Buffer.from(value.reveal());
  try {
    return Buffer.from(sodium.crypto_box_seal(plain, key.bytes)).toString('base64');
  } finally {
    plain.fill(0);
  }
}
