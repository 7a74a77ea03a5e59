import { badRequest } from '../../core/errors.ts';
import type { SealType } from '../tables.ts';
import type { Stand } from './migration/stand.ts';

/** With an automatic seal each process has a way of its own to the keys. */
export function mustLend(type: SealType): void {
  if (type === 'shamir') return;
  throw badRequest(
    'this service has an automatic seal: its workers unseal themselves as the API does, and nothing is lent to them',
  );
}

/** @throws AppError `bad-request` for a share that this seal does not take */
export function mustTakeShares(type: SealType, stand: Stand, migrate: boolean): void {
  if (migrate && stand !== 'migrates') {
    throw badRequest(
      'there is nothing to migrate: the store has the configured seal, or one whose key is not configured as the former one',
    );
  }
  if (!migrate && stand === 'migrates') {
    throw badRequest('the store has another seal than the configured one: give every share with "migrate": true');
  }
  if (!migrate && type !== 'shamir') {
    throw badRequest('this service is unsealed by its configured key when it starts');
  }
}
