import { badRequest } from '../../../core/errors.ts';
import type { Reply } from '../../../path/contract/reply.ts';
import { operation, type Row } from '../../../path/contract/row.ts';
import { duration, type Fields, type Input, integer, number, pathText, text } from '../../../path/fields.ts';
import type { Store } from '../../../store/store.ts';
import { countLeases } from './lease-capacity.ts';
import { type Grouping, groupings, type LeaseCount, type Named, type QuotaScope, type RateLimit } from './quota.ts';
import { type ScopeParts, scopeAfter, scopeFields } from './scope.ts';
import { type QuotaKind, storedQuotas } from './store.ts';

export interface QuotaParts extends ScopeParts {
  readonly store: Store;
  /** Told after a change. */
  readonly changed: () => void;
}

const name = pathText('Name of the quota');
const secondsMax = 31_536_000;
const most = 1_000_000_000;

/** A number with a fraction, also as a text. */
const rate = number()
  .optional()
  .meta({ description: 'How many requests a client may make in an interval; more than 0' });
const rateFields = {
  name,
  ...scopeFields,
  rate,
  interval: duration().optional().meta({ description: 'Seconds; 1 unless given' }),
  block_interval: duration()
    .optional()
    .meta({ description: 'For how long a client that asked for more is refused; 0: to the end of the interval' }),
  group_by: text(64).optional().meta({
    description: 'Whose requests are counted together: ip (those of one address) or none (all); ip unless given',
  }),
};
const countFields = {
  name,
  ...scopeFields,
  max_leases: integer().optional().meta({ description: 'How many; more than 0' }),
};

/** `sys/quotas/rate-limit`. */
export const rateLimitRows = (parts: QuotaParts): readonly Row[] =>
  rowsOf<RateLimit, typeof rateFields>(parts, 'rate-limit', rateFields, {
    help: 'Limits how many requests a client may make in a time, counted by each process.',
    after(before, scope, input) {
      const wanted = input.rate ?? before?.rate ?? 0;
      if (!(wanted > 0 && wanted <= most))
        throw badRequest("'rate' is invalid: it is more than 0 and at most 1000000000");
      const interval = input.interval ?? before?.interval ?? 1;
      const block_interval = input.block_interval ?? before?.block_interval ?? 0;
      if (interval < 1 || Math.max(interval, block_interval) > secondsMax)
        throw badRequest(`'interval' is from 1 to ${secondsMax} seconds, 'block_interval' from 0`);
      const group_by = groupingOf(input.group_by ?? before?.group_by ?? 'ip');
      return { ...scope, rate: wanted, interval, block_interval, group_by };
    },
    more: async ({ group_by = 'ip' }) => ({ group_by }),
  });

function groupingOf(given: string): Grouping {
  const known = groupings.find((one) => one === given);
  if (known !== undefined) return known;
  throw badRequest(`'group_by' is ${groupings.join(' or ')}: entities are not told apart before a request is let in`);
}

/** `sys/quotas/lease-count`. */
export const leaseCountRows = (parts: QuotaParts): readonly Row[] =>
  rowsOf<LeaseCount, typeof countFields>(parts, 'lease-count', countFields, {
    help: 'Limits how many tokens that come from a path there are at the same time, in all processes together.',
    after(before, scope, input) {
      const max_leases = input.max_leases ?? before?.max_leases ?? 0;
      if (max_leases < 1 || max_leases > most) throw badRequest("'max_leases' is invalid: it is from 1 to 1000000000");
      return { ...scope, max_leases };
    },
    more: async (quota) => ({ counter: await countLeases(parts.store.db, quota, quota.max_leases) }),
  });

interface Kind<Q, F extends Fields> {
  readonly help: string;
  /** The quota after a change. @throws AppError `bad-request` */
  readonly after: (before: Q | undefined, scope: QuotaScope, input: Input<F>) => Q;
  /** What is shown beside the quota. */
  readonly more?: (quota: Named<Q>) => Promise<object>;
}

type QuotaFields = typeof scopeFields & { readonly name: typeof name } & Fields;

function rowsOf<Q extends RateLimit | LeaseCount, F extends QuotaFields>(
  { store, mounts, hasRoles, changed }: QuotaParts,
  kind: QuotaKind,
  fields: F,
  { help, after, more }: Kind<Q, F>,
): readonly Row[] {
  const stored = storedQuotas<Q>(store, kind);
  async function show(input: { readonly name: string }): Promise<Reply> {
    const quota = await stored.find(input.name);
    if (quota === undefined) return undefined;
    const { namespace_path: _, ...shown } = quota;
    return { data: { type: kind, ...shown, ...(await more?.(quota)) } };
  }
  const list = operation(
    {},
    {
      summary: 'List the names.',
      rootNamespaceOnly: true,
      run: async () => ({ data: { keys: (await stored.list()).map((quota) => quota.name) } }),
    },
  );
  return [
    { pattern: `quotas/${kind}/`, help, operations: { list } },
    {
      pattern: `quotas/${kind}/:name`,
      help,
      operations: {
        read: operation({ name }, { rootNamespaceOnly: true, summary: 'Show a quota.', run: show }),
        write: operation(fields, {
          summary: 'Make or change a quota; what is not given stays.',
          rootNamespaceOnly: true,
          async run(input) {
            const before = await stored.find(input.name);
            const scope = await scopeAfter({ mounts, hasRoles }, before, input);
            await stored.put({ ...after(before, scope, input), name: input.name });
            changed();
            return undefined;
          },
        }),
        delete: operation(
          { name },
          {
            summary: 'Remove a quota.',
            rootNamespaceOnly: true,
            async run(input) {
              await stored.remove(input.name);
              changed();
              return undefined;
            },
          },
        ),
      },
    },
  ];
}
