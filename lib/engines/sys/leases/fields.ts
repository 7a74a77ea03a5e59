import { badRequest } from '../../../core/errors.ts';
import { bool, duration, pathText, text } from '../../../path/fields.ts';

export const leaseField = text().default('').meta({ description: 'Id of the lease' });
/** Older clients have the id in the path. */
export const leaseInPath = pathText('Id of the lease');
export const prefixInPath = pathText('Path that leases begin with');
export const increment = duration().default(0).meta({ description: 'Seconds from now that are asked for' });
export const sync = bool().default(true).meta({ description: 'Answer when it is done' });

/** @throws AppError `bad-request` when no id was sent */
export function mustBeNamed(id: string): string {
  if (id === '') throw badRequest('lease_id must be specified');
  return id;
}
