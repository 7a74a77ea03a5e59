import { badRequest } from '#path/jsonapi/error.ts';
import { type QueryField, readBy } from '#path/jsonapi/query.ts';
import { policyLevels } from '../../frame/policies.ts';
import type { Outcome, OutcomeRow } from './view.ts';

/** One of several wishes: a status of a policy, and a level with it. */
interface Wish {
  readonly status: string | null;
  readonly level: string | null;
}

/** Wishes of one request. */
const wishesMax = 5;
const statuses = ['passed', 'failed', 'errored'];

const numbers = Array.from({ length: wishesMax }, (_, at) => at);
const nameOf = (at: number, what: string) => `filter[${at}][${what}]`;

/** `filter[n][status]` and `filter[n][enforcementLevel]`: any of them is enough. @throws ApiError 400 for another value */
export const wishes: QueryField<readonly Wish[]> = readBy(
  numbers.flatMap((at) => [
    { name: nameOf(at, 'status'), schema: { enum: statuses } },
    { name: nameOf(at, 'enforcementLevel'), schema: { enum: policyLevels } },
  ]),
  (query) =>
    numbers
      .map((at) => ({
        status: known(query, nameOf(at, 'status'), statuses),
        level:
          known(query, nameOf(at, 'enforcementLevel'), policyLevels) ??
          known(query, nameOf(at, 'enforcement_level'), policyLevels),
      }))
      .filter(({ status, level }) => status !== null || level !== null),
);

function known(query: URLSearchParams, name: string, values: readonly string[]): string | null {
  const sent = query.get(name);
  if (sent === null || sent === '' || values.includes(sent)) return sent === '' ? null : sent;
  throw badRequest(`${name} must be one of ${values.join(', ')}`);
}

/** Whether a policy of the set meets one of the wishes. */
export const meets = ({ outcomes }: OutcomeRow, wanted: readonly Wish[]): boolean =>
  wanted.length === 0 || wanted.some((wish) => outcomes.some((one) => isMet(one, wish)));

const isMet = ({ status, enforcement_level: level }: Outcome, wish: Wish): boolean =>
  (wish.status === null || wish.status === status) &&
  (wish.level === null || wish.status === 'errored' || wish.level === level);
