import type { Log } from '../../core/log.ts';
import { DestinationFailure } from '../contract.ts';
import type { Client } from './client.ts';
import { isSigned, refusal } from './failure.ts';
import type { Location } from './location.ts';
import { callOn, look } from './look.ts';
import { fetchPublicKey } from './public-key.ts';

/**
 * Removes a secret, or finds that there is none. A location that is gone has no secrets, so removing from it is done. The host
 * gives the same 404 for one that it hides from these credentials; the log keeps the doubt.
 */
export async function remove(
  client: Client,
  location: Location,
  log: Log,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  if (await removeSecret(client, location, name, signal)) return;
  if (await locationExists(client, location, signal)) return;
  log.warn({ name, location: location.text }, 'nothing to remove: the location is gone, or hidden from us');
}

/** Resolves to whether there was one. */
async function removeSecret(client: Client, location: Location, name: string, signal: AbortSignal): Promise<boolean> {
  const call = callOn('DELETE', location, name);
  const answer = await client.call(call, signal);
  if (answer.status === 404) return false;
  if (answer.status === 204 && isSigned(answer)) return true;
  if (answer.status !== 204 || (await look(client, location, name, signal)) !== undefined) throw refusal(answer, call);
  return true;
}

async function locationExists(client: Client, location: Location, signal: AbortSignal): Promise<boolean> {
  try {
    await fetchPublicKey(client, location, signal);
    return true;
  } catch (error) {
    if (error instanceof DestinationFailure && error.kind === 'missing') return false;
    throw error;
  }
}
