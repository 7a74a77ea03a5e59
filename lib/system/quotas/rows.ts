import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { duration, type Fields, type Input, integer, number, pathText, text } from '#path/fields.ts';
import { countLeases } from '#quotas/lease-capacity.ts';
import {
  type Grouping,
  groupings,
  type LeaseCount,
  type Named,
  type QuotaScope,
  type RateLimit,
} from '#quotas/quota.ts';
import { leaseCounts, type QuotaForm, rateLimits, storedQuotas } from '#quotas/store.ts';
import type { Store } from '#store/store.ts';
import { type ScopeParts, scopeAfter, scopeFields } from './scope.ts';

export interface QuotaParts extends ScopeParts {
  readonly store: Store;
  /** Called after a change. */
  readonly changed: () => void;
}

const name = pathText('Name of the quota');
const secondsMax = 31_536_000;
const most = 1_000_000_000;

/** A number, possibly with a fraction, also as a string. */
const rate = number()
  .optional()
  .meta({ description: 'Number of requests a client may make in an interval, more than 0' });
const rateFields = {
  name,
  ...scopeFields,
  rate,
  interval: duration().optional().meta({ description: 'Seconds; 1 by default' }),
  block_interval: duration().optional().meta({
    description: 'How long a client that exceeded the rate is refused; 0 to refuse it until the interval ends',
  }),
  group_by: text(64).optional().meta({
    description: 'Requests to count together: ip (those of one address, the default) or none (all)',
  }),
};
const countFields = {
  name,
  ...scopeFields,
  max_leases: integer().optional().meta({ description: 'Maximum number of leases, more than 0' }),
};

/** `sys/quotas/rate-limit`. */
export const rateLimitRows = (parts: QuotaParts): readonly Row[] =>
  rowsOf<RateLimit, typeof rateFields>(parts, rateLimits, rateFields, {
    help: 'Limits how many requests a client may make in an interval, counted by each process.',
    after(before, scope, input) {
      const wanted = input.rate ?? before?.rate ?? 0;
      if (!(wanted > 0 && wanted <= most))
        throw badField('rate', "'rate' is invalid: it must be more than 0 and at most 1000000000");
      const interval = input.interval ?? before?.interval ?? 1;
      const block_interval = input.block_interval ?? before?.block_interval ?? 0;
      if (interval < 1 || Math.max(interval, block_interval) > secondsMax)
        throw badField(
          interval < 1 || interval > secondsMax ? 'interval' : 'block_interval',
          `'interval' must be from 1 to ${secondsMax} seconds, 'block_interval' from 0`,
        );
      const group_by = groupingOf(input.group_by ?? before?.group_by ?? 'ip');
      return { ...scope, rate: wanted, interval, block_interval, group_by };
    },
    more: async ({ group_by = 'ip' }) => ({ group_by }),
  });

function groupingOf(given: string): Grouping {
  const known = groupings.find((one) => one === given);
  if (known !== undefined) return known;
  throw badField(
    'group_by',
    `'group_by' must be ${groupings.join(' or ')}: rate limits apply before the entity of a request is known`,
  );
}

/** `sys/quotas/lease-count`. */
export const leaseCountRows = (parts: QuotaParts): readonly Row[] =>
  rowsOf<LeaseCount, typeof countFields>(parts, leaseCounts, countFields, {
    help: 'Limits how many tokens issued at a path may exist at the same time, in all processes together.',
    after(before, scope, input) {
      const max_leases = input.max_leases ?? before?.max_leases ?? 0;
      if (max_leases < 1 || max_leases > most)
        throw badField('max_leases', "'max_leases' is invalid: it must be from 1 to 1000000000");
      return { ...scope, max_leases };
    },
    more: async (quota) => ({ counter: await countLeases(parts.store.db, quota, quota.max_leases) }),
  });

interface Kind<Q, F extends Fields> {
  readonly help: string;
  /** The quota after a change. @throws AppError `bad-request` */
  readonly after: (before: Q | undefined, scope: QuotaScope, input: Input<F>) => Q;
  /** Additional members of the reply. */
  readonly more?: (quota: Named<Q>) => Promise<object>;
}

type QuotaFields = typeof scopeFields & { readonly name: typeof name } & Fields;

function rowsOf<Q extends RateLimit | LeaseCount, F extends QuotaFields>(
  { store, mounts, hasRoles, changed }: QuotaParts,
  form: QuotaForm<Q>,
  fields: F,
  { help, after, more }: Kind<Q, F>,
): readonly Row[] {
  const { kind } = form;
  const stored = storedQuotas(store, form);
  async function show(input: { readonly name: string }): Promise<Reply> {
    const quota = await stored.find(input.name);
    if (quota === undefined) return undefined;
    const { namespace_path: _, ...shown } = quota;
    return { data: { type: kind, ...shown, ...(await more?.(quota)) } };
  }
  const list = operation(
    {},
    {
      summary: 'List the names of quotas',
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
        read: operation({ name }, { rootNamespaceOnly: true, summary: 'Show a quota', run: show }),
        write: operation(fields, {
          summary: 'Create or change a quota; omitted fields keep their values',
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
            summary: 'Delete a quota',
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
