import { badField } from '#core/errors.ts';
import { bool, duration, pathText, text } from '#path/fields.ts';

export const leaseField = text().default('').meta({ description: 'Lease id' });
/** Older clients send the id in the path. */
export const leaseInPath = pathText('Id of the lease');
export const prefixInPath = pathText('Path at the start of the lease ids');
export const increment = duration().default(0).meta({ description: 'Requested lease time in seconds from now' });
export const sync = bool().default(true).meta({ description: 'Whether to reply only when the revocation is complete' });

/** @throws AppError `bad-request` when the request has no id */
export function mustBeNamed(id: string, field: 'lease_id' | 'prefix' = 'lease_id'): string {
  if (id === '') throw badField(field, 'lease_id must be specified');
  return id;
}
