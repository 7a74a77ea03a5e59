import { attributesOf, dataOf } from '../../../path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '../../../path/jsonapi/error.ts';
import { whole } from '../../../path/jsonapi/fields.ts';
import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';

const keepAll = 'data-retention-policy-dont-deletes';
/** The last is what old clients say for the first, and read back (reference, workspaces 1.10). */
const withDays = ['data-retention-policy-delete-olders', 'data-retention-policies'] as const;

export interface Policy {
  readonly type: string;
  /** Null: nothing is deleted. */
  readonly days: number | null;
}

export interface PolicyRow extends Policy {
  readonly id: string;
}

const daysMax = 36_500;
const fields = {
  'delete-older-than-n-days': whole(1, daysMax),
  deleteOlderThanNDays: whole(1, daysMax),
};

/** The policy of a document, with the number of days under either of its names. @throws ApiError 422 for what is none */
export function policyOf(call: ApiCall): Policy {
  const { type } = dataOf(call);
  if (type === keepAll) return { type, days: null };
  const known = withDays.find((one) => one === type);
  if (known === undefined) throw unprocessable(`type has to be one of ${[...withDays, keepAll].join(', ')}`);
  const read = attributesOf(call, known, fields);
  const days = read['delete-older-than-n-days'] ?? read.deleteOlderThanNDays;
  if (days === undefined) throw invalidAttribute('delete-older-than-n-days', "Delete older than n days can't be blank");
  return { type: known, days };
}

export const policyResource = ({ id, type, days }: PolicyRow): Resource => ({
  ...{ id, type },
  attributes: days === null ? {} : { 'delete-older-than-n-days': days },
});
