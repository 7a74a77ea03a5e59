import { DefaultAzureCredential } from '@azure/identity';
import { AppError } from '../../core/errors.ts';
import type { BearerToken } from '../contract.ts';

/** By the provider's own chain: environment, workload identity, managed identity. It keeps a token until shortly before its end. */
export function defaultToken(scope: string): BearerToken {
  const credential = new DefaultAzureCredential({ retryOptions: { maxRetries: 1 } });
  return async (signal) => {
    try {
      return (await credential.getToken(scope, { abortSignal: signal })).token;
    } catch (cause) {
      const text =
        'cloud-b-keys: this process has no credentials: give it a managed identity, a workload identity, or credentials in its environment';
      throw new AppError('unavailable', text, { cause });
    }
  };
}
