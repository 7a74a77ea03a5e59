import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Reply } from '#client/client.ts';
import { auth } from '#client/operations/auth.ts';
import { CallFailure } from '#client/wire/failure.ts';
import type { Deadline } from './deadline.ts';

/** A login whose user is at the provider. */
interface Polled {
  readonly client: Client;
  readonly mount: string;
  readonly state: string;
  readonly client_nonce: string;
  /** Between two polls. */
  readonly seconds: number;
}

/** What a client adds to its interval when it is told to slow down (RFC 8628, section 3.5). */
const slowerSeconds = 5;
const secondsMax = 60;

/** Polls for the token of a login. @throws CommandFailure at the deadline; CallFailure when the login has failed */
export async function pollForToken(polled: Polled, deadline: Deadline): Promise<Reply> {
  const { client, mount, state, client_nonce } = polled;
  for (let { seconds } = polled; ; ) {
    await deadline.within(delay(Math.min(seconds, secondsMax) * 1_000, undefined, { signal: deadline.signal }));
    try {
      return await deadline.within(client.call(auth.pollOidc, { mount }, { state, client_nonce }));
    } catch (error) {
      if (!(error instanceof CallFailure && isWaiting(error))) throw error;
      if (error.errors.includes('slow_down')) seconds += slowerSeconds;
    }
  }
}

/** The user has not logged in yet, or the server could not be asked just now. */
const isWaiting = ({ errors, isPassing }: CallFailure): boolean =>
  errors.some((text) => text === 'authorization_pending' || text === 'slow_down') || isPassing;
