import type { Log } from '../../../core/log.ts';
import type { SealRecord } from '../record.ts';
import type { ConfiguredKeys } from './stand.ts';

/** Says once that the process waits for a migration. */
export function waitsForMigration({ outerKey }: ConfiguredKeys, log: Log): (record: SealRecord) => void {
  let isSaid = false;
  return ({ type }) => {
    if (isSaid) return;
    isSaid = true;
    const configured = outerKey?.type ?? 'shamir';
    const text = 'sealed until the seal is migrated: give shares to sys/unseal with "migrate": true';
    log.warn({ seal: type, configured }, text);
  };
}
