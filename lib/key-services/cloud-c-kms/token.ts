import { GoogleAuth } from 'google-auth-library';
import { AppError } from '../../core/errors.ts';
import type { BearerToken } from '../contract.ts';

/** By the provider's own chain: a file that the environment names, workload identity, the metadata server. */
export function defaultToken(): BearerToken {
  const auth = new GoogleAuth({ scopes: 'https://www.googleapis.com/auth/cloudkms' });
  return async () => {
    const token = await auth.getAccessToken().catch((cause: unknown) => {
      throw noCredentials({ cause });
    });
    if (token) return token;
    throw noCredentials();
  };
}

const noCredentials = (options?: ErrorOptions): AppError =>
  new AppError(
    'unavailable',
    'cloud-c-kms: this process has no credentials: give it a service account, or name a file in GOOGLE_APPLICATION_CREDENTIALS',
    options,
  );
