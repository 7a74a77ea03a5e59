import { badField, badRequest } from '#core/errors.ts';
import type { Accepted, Reply } from '#path/contract/reply.ts';
import { accepted, operation, type Row } from '#path/contract/row.ts';
import type { Leases, LeasesOf } from './contract.ts';
import { increment, leaseField, leaseInPath, mustBeNamed, prefixInPath, sync } from './fields.ts';

/** Renewal and revocation, below `leases/` and at the paths of older clients. */
export const changeRows = (leases: LeasesOf): readonly Row[] => [
  ...['leases/renew', 'renew'].flatMap((pattern) => renewRows(leases, pattern)),
  ...['leases/revoke', 'revoke'].flatMap((pattern) => revokeRows(leases, pattern)),
  ...['leases/revoke-prefix', 'revoke-prefix', 'leases/revoke-force', 'revoke-force'].map((pattern) =>
    prefixRow(leases, pattern),
  ),
  {
    pattern: 'leases/tidy',
    help: 'Removes leftover ended leases in the background.',
    operations: {
      write: operation(
        {},
        {
          summary: 'Tidy leases',
          knownFieldsOnly: true,
          replies: accepted,
          run: (_input, { namespace }) => leases(namespace).tidy(),
        },
      ),
    },
  },
];

function renewRows(leases: LeasesOf, pattern: string): readonly Row[] {
  const help = 'Renews a lease.';
  return [
    {
      pattern,
      help,
      operations: {
        write: operation(
          { lease_id: leaseField, increment },
          { summary: 'Renew a lease', run: ({ lease_id }, { namespace }) => renew(leases(namespace), lease_id) },
        ),
      },
    },
    {
      pattern: `${pattern}/*lease_id`,
      help,
      operations: {
        write: operation(
          { lease_id: leaseInPath, increment },
          {
            summary: 'Renew the lease named in the path',
            run: ({ lease_id }, { namespace }) => renew(leases(namespace), lease_id),
          },
        ),
      },
    },
  ];
}

/** All leases belong to tokens, which have their own endpoints for renewal. */
async function renew(leases: Leases, id: string): Promise<Reply> {
  const lease = await leases.find(mustBeNamed(id));
  if (lease === undefined) throw badField('lease_id', 'lease not found');
  throw badRequest('tokens cannot be renewed through this endpoint');
}

function revokeRows(leases: LeasesOf, pattern: string): readonly Row[] {
  const help = 'Revokes a lease and everything that depends on it.';
  return [
    {
      pattern,
      help,
      operations: {
        write: operation(
          { lease_id: leaseField, sync },
          {
            summary: 'Revoke a lease',
            knownFieldsOnly: true,
            replies: accepted,
            run: (input, { namespace }) => revoke(leases(namespace), input.lease_id, input.sync),
          },
        ),
      },
    },
    {
      pattern: `${pattern}/*lease_id`,
      help,
      operations: {
        write: operation(
          { lease_id: leaseInPath, sync },
          {
            summary: 'Revoke the lease named in the path',
            knownFieldsOnly: true,
            replies: accepted,
            run: (input, { namespace }) => revoke(leases(namespace), input.lease_id, input.sync),
          },
        ),
      },
    },
  ];
}

async function revoke(leases: Leases, id: string, isWaited: boolean): Promise<Reply | Accepted> {
  await leases.revoke(mustBeNamed(id));
  return done(isWaited);
}

function prefixRow(leases: LeasesOf, pattern: string): Row {
  return {
    pattern: `${pattern}/*prefix`,
    help: 'Revokes all leases below a path.',
    operations: {
      write: operation(
        { prefix: prefixInPath, sync },
        {
          summary: 'Revoke leases below a path',
          knownFieldsOnly: true,
          sudo: true,
          replies: accepted,
          async run(input, { signal, namespace }) {
            await leases(namespace).revokePrefix(mustBeNamed(input.prefix.replace(/\/$/, ''), 'prefix'), signal);
            return done(input.sync);
          },
        },
      ),
    },
  };
}

/** A client that does not wait gets status 202. */
const done = (isWaited: boolean): Reply | Accepted => (isWaited ? undefined : { status: 202 });
