import type { Json } from '#core/json/json.ts';
import { attributesOf, dataOf } from '#path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import { whole } from '#path/jsonapi/fields.ts';
import { type BodySchema, otherBody } from '#path/jsonapi/input.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { wsRetentionPoliciesTable } from '#store/tables/workspaces.ts';

const keepAll = 'data-retention-policy-dont-deletes';
/** Old clients send and expect the last name in place of the first. */
const withDays = ['data-retention-policy-delete-olders', 'data-retention-policies'] as const;

export const policyTypes = [keepAll, ...withDays];

export interface Policy {
  readonly type: string;
  /** Null keeps everything. */
  readonly days: number | null;
}

export type PolicyRow = RowOf<typeof policyColumns>;

export const policyColumns = pick(wsRetentionPoliciesTable, 'id', 'type', 'days');

const daysMax = 36_500;
const fields = {
  'delete-older-than-n-days': whole(1, daysMax),
  deleteOlderThanNDays: whole(1, daysMax),
};

/** The type of a document determines whether it has a number of days. */
export const policyBody: BodySchema<Policy> = otherBody(
  {
    schema: {
      type: 'object',
      required: ['data'],
      properties: {
        data: {
          type: 'object',
          required: ['type'],
          properties: {
            type: { enum: [...withDays, keepAll] },
            attributes: {
              type: 'object',
              properties: { 'delete-older-than-n-days': { type: 'integer', minimum: 1, maximum: daysMax } },
            },
          },
        },
      },
    },
  },
  policyOf,
);

/** The policy in a document, with the number of days under either name. @throws ApiError 422 for an invalid policy */
function policyOf(body: Json | undefined): Policy {
  const call = { body };
  const { type } = dataOf(call);
  if (type === keepAll) return { type, days: null };
  const known = withDays.find((one) => one === type);
  if (known === undefined) throw unprocessable(`type must be one of ${[...withDays, keepAll].join(', ')}`);
  const read = attributesOf(call, known, fields);
  const days = read['delete-older-than-n-days'] ?? read.deleteOlderThanNDays;
  if (days === undefined) throw invalidAttribute('delete-older-than-n-days', "Delete older than n days can't be blank");
  return { type: known, days };
}

export const policyResource = ({ id, type, days }: PolicyRow): Resource => ({
  id,
  type,
  attributes: days === null ? {} : { 'delete-older-than-n-days': days },
});
