import { AppError } from '#core/errors.ts';
import type { KeyServiceType } from './contract.ts';

/** The reason of a refusal, in a form common to all services. */
export type Reason = 'denied' | 'credentials' | 'disabled' | 'missing' | 'unfit' | 'busy' | 'unknown';

export interface Refused {
  readonly type: KeyServiceType;
  readonly keyId: string;
  /** The requested operation, by the name of the service's permission. */
  readonly permission: string;
  readonly status: number;
  /** The service's error name. Its messages are not shown, because they may repeat the request. */
  readonly code: string | undefined;
}

const advice = {
  denied: ({ permission }) => `grant ${permission} on the key to the identity of this process`,
  credentials: () => 'the credentials of this process are missing, wrong or expired',
  disabled: () => 'the key is disabled or scheduled for deletion: enable it, or recover it before it is lost',
  missing: () => 'the key does not exist: correct KEYFERRY_SEAL_KEY_ID; a deleted key must be recovered',
  unfit: () => 'the key cannot wrap keys: use one for that purpose',
  busy: () => 'the service is busy or has an outage; the call will be retried',
  unknown: () => 'the call will be retried',
} satisfies Record<Reason, (refused: Refused) => string>;

/** An error that names the refused operation and the remedy. */
export function refusal(reason: Reason, refused: Refused): AppError {
  const { type, keyId, permission, status, code } = refused;
  const shown = code !== undefined && /^[A-Za-z_.]{1,80}$/.test(code) ? `${status} ${code}` : String(status);
  return new AppError(
    'unavailable',
    `${type} refused ${permission} with ${keyId} (${shown}): ${advice[reason](refused)}`,
  );
}

/** A successful reply without a required member. */
export const incomplete = (type: KeyServiceType, what: string): AppError =>
  new AppError('unavailable', `${type} answered without ${what}: the answer did not come from the key service`);

/** The reason by status alone, when the service returns no known error name. */
export function reasonByStatus(status: number): Reason {
  if (status === 401) return 'credentials';
  if (status === 403) return 'denied';
  if (status === 404) return 'missing';
  return status === 408 || status === 429 || status >= 500 ? 'busy' : 'unknown';
}
