import type { Log } from '#core/log/log.ts';
import type { SealRecord } from '../record.ts';
import type { ConfiguredKeys } from './match.ts';

/** Returns a function that logs once that the process waits for a migration. */
export function migrationNotice({ outerKey }: ConfiguredKeys, log: Log): (record: SealRecord) => void {
  let isLogged = false;
  return ({ type }) => {
    if (isLogged) return;
    isLogged = true;
    const configured = outerKey?.type ?? 'shamir';
    const text = 'sealed until the seal is migrated: give shares to sys/unseal with "migrate": true';
    log.warn({ seal: type, configured }, text);
  };
}
