import { badField } from '#core/errors.ts';
import type { Reply } from '#path/contract/reply.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { integer, pathText, text } from '#path/fields.ts';
import type { Lease, LeasesOf } from './contract.ts';
import { leaseField, mustBeNamed } from './fields.ts';

/** A reply with more names would be too large to use. */
const namesMax = 100_000;

/** `leases/lookup`, `leases/lookup/<prefix>`, `leases`, `leases/count`. */
export const lookRows = (leases: LeasesOf): readonly Row[] => [
  {
    pattern: 'leases/lookup',
    help: 'Shows a lease.',
    operations: {
      write: operation(
        { lease_id: leaseField },
        {
          summary: 'Look up a lease',
          async run({ lease_id }, { namespace }) {
            const lease = await leases(namespace).find(mustBeNamed(lease_id));
            if (lease === undefined) throw badField('lease_id', 'invalid lease');
            return { data: shown(lease) };
          },
        },
      ),
      list: listing(leases, undefined),
    },
  },
  {
    pattern: 'leases/lookup/*prefix',
    help: 'Lists the leases below a path.',
    operations: { list: listing(leases, pathText('Path at the start of the lease ids')) },
  },
  ...irrevocableRows,
];

function listing(leases: LeasesOf, prefix: ReturnType<typeof pathText> | undefined) {
  const page = {
    after: text().default('').meta({ description: 'Return only names after this one' }),
    limit: integer()
      .default(0)
      .meta({ description: `Maximum number of names; 0 for ${namesMax}` }),
  };
  const fields = prefix === undefined ? page : { prefix, ...page };
  return operation(fields, {
    summary: 'List leases',
    sudo: true,
    async run(input, { namespace }) {
      const most = input.limit > 0 ? Math.min(input.limit, namesMax) : namesMax;
      const given = 'prefix' in input && typeof input.prefix === 'string' ? input.prefix : '';
      const keys = await leases(namespace).list(given.replace(/\/$/, ''), input.after, most);
      if (keys.length < most || input.limit === most) return { data: { keys } };
      return { data: { keys }, warnings: [`There may be more names: continue with after=${keys.at(-1)}`] };
    },
  });
}

/** The only type that clients request is "irrevocable"; every lease here can be revoked, so the list is empty. */
const type = text().default('').meta({ description: 'Must be "irrevocable"' });

const irrevocableRows: readonly Row[] = [
  {
    pattern: 'leases',
    help: 'Lists leases that could not be revoked.',
    operations: {
      read: operation({ type }, { summary: 'List irrevocable leases', sudo: true, run: irrevocable }),
      list: operation({ type }, { summary: 'List irrevocable leases', sudo: true, run: irrevocable }),
    },
  },
  {
    pattern: 'leases/count',
    help: 'Counts leases that could not be revoked.',
    operations: { read: operation({ type }, { summary: 'Count irrevocable leases', run: irrevocableCount }) },
  },
];

async function irrevocable(input: { readonly type: string }): Promise<Reply> {
  mustBeIrrevocable(input.type);
  return { data: { lease_count: 0, leases: [] } };
}

async function irrevocableCount(input: { readonly type: string }): Promise<Reply> {
  mustBeIrrevocable(input.type);
  return { data: { lease_count: 0, counts: {} } };
}

function mustBeIrrevocable(given: string): void {
  if (given === '') throw badField('type', 'type must be specified; expected "irrevocable"');
  if (given !== 'irrevocable') throw badField('type', `invalid type ${JSON.stringify(given)}; expected "irrevocable"`);
}

const shown = ({ id, issued, expires, lastRenewed, ttl, path, renewable }: Lease): object => ({
  id,
  issue_time: issued.toISOString(),
  expire_time: expires.toISOString(),
  last_renewal: lastRenewed?.toISOString() ?? null,
  ttl,
  path,
  renewable,
});
