import { AppError } from '../core/errors.ts';
import type { KeyServiceType } from './contract.ts';

/** Why a service has refused, in a form that all services share. */
export type Reason = 'denied' | 'credentials' | 'disabled' | 'missing' | 'unfit' | 'busy' | 'unknown';

export interface Refused {
  readonly type: KeyServiceType;
  readonly keyId: string;
  /** What was asked, in the words of the service's permissions. */
  readonly permission: string;
  readonly status: number;
  /** The service's name for the error. Texts of the service are not shown: they may repeat what was sent. */
  readonly code: string | undefined;
}

const advice = {
  denied: ({ permission }) => `grant ${permission} on the key to the identity of this process`,
  credentials: () => 'the credentials of this process are missing, wrong or have ended',
  disabled: () => 'the key is disabled, or waits for its deletion: enable it, or recover it before it is lost for good',
  missing: () => 'there is no such key: correct KEYFERRY_SEAL_KEY_ID; a deleted key has to be recovered',
  unfit: () => 'the key cannot wrap keys: use one for that purpose',
  busy: () => 'the service is busy or has trouble of its own; it is asked again',
  unknown: () => 'it is asked again',
} satisfies Record<Reason, (refused: Refused) => string>;

/** Says what was refused and what to do. */
export function refusal(reason: Reason, refused: Refused): AppError {
  const { type, keyId, permission, status, code } = refused;
  const shown = code !== undefined && /^[A-Za-z_.]{1,80}$/.test(code) ? `${status} ${code}` : String(status);
  return new AppError(
    'unavailable',
    `${type} refused ${permission} with ${keyId} (${shown}): ${advice[reason](refused)}`,
  );
}

/** An answer of success without what it has to hold. */
export const incomplete = (type: KeyServiceType, what: string): AppError =>
  new AppError('unavailable', `${type} answered without ${what}: what answers is not the key service`);

/** By the status alone, where the service gives no name that is known. */
export function reasonByStatus(status: number): Reason {
  if (status === 401) return 'credentials';
  if (status === 403) return 'denied';
  if (status === 404) return 'missing';
  return status === 408 || status === 429 || status >= 500 ? 'busy' : 'unknown';
}
