import { badField, badRequest } from '#core/errors.ts';
import type { SealMatch } from '../migration/match.ts';
import type { SealType } from '../record.ts';

/** @throws AppError `bad-request` with an automatic seal, where each process gets the keys itself */
export function mustLend(type: SealType): void {
  if (type === 'shamir') return;
  throw badRequest(
    'this service has an automatic seal: its workers unseal themselves as the API does, so the root key is not lent',
  );
}

/** @throws AppError `bad-request` when the seal does not accept shares in its present state */
export function mustTakeShares(type: SealType, match: SealMatch, migrate: boolean): void {
  if (migrate && match !== 'migrates') {
    throw badField(
      'migrate',
      'there is nothing to migrate: the store already has the configured seal, or the key of its seal is not configured as the former one',
    );
  }
  if (!migrate && match === 'migrates') {
    throw badField(
      'migrate',
      'the seal of the store differs from the configured one: give every share with "migrate": true',
    );
  }
  if (!migrate && type !== 'shamir') {
    throw badRequest('this service is unsealed by its configured key when it starts');
  }
}
