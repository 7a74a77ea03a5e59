import type { Log } from '#core/log/log.ts';
import { DestinationFailure } from '../contract.ts';
import type { Client } from './client/client.ts';
import { fetchPublicKey } from './client/public-key.ts';
import { isSigned, refusal } from './failure.ts';
import type { Location } from './fields/location.ts';
import { callOn, look } from './look.ts';

/**
 * Removes a secret, if it exists. In a location that does not exist there is nothing to remove. The host gives the same 404 for a
 * location that it hides from these credentials, so the log has a warning.
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
  log.warn({ name, location: location.text }, 'nothing to remove: the location does not exist, or is hidden from us');
}

/** Resolves to whether the secret existed. */
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
