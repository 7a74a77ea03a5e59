import { CallFailure } from '#client/wire/failure.ts';

/** The reply to a call; undefined when the token may not make it. */
export async function permitted<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CallFailure && error.status === 403 && !error.isTokenInvalid) return undefined;
    throw error;
  }
}
