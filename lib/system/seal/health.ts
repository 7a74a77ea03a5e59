import { z } from 'zod';
import { operation, type Row } from '#path/contract/row.ts';
import { integer, text } from '#path/fields.ts';
import type { SealState } from '#store/seal/contract.ts';
import type { SealRowParts } from './parts.ts';
import { apiVersion } from './version.ts';

/** A status below 200 would not end the HTTP exchange. */
const statusCode = (description: string) => integer().pipe(z.int().min(200).max(599)).optional().meta({ description });
const ignored = () => text().optional().meta({ description: 'Accepted and ignored: there are no standby processes' });

const fields = {
  activecode: statusCode('Status of an unsealed process instead of 200'),
  sealedcode: statusCode('Status of a sealed process instead of 503'),
  uninitcode: statusCode('Status before initialisation instead of 501'),
  standbycode: statusCode('Accepted and ignored: there are no standby processes'),
  drsecondarycode: statusCode('Accepted and ignored: there are no secondary processes'),
  performancestandbycode: statusCode('Accepted and ignored: there are no standby processes'),
  standbyok: ignored(),
  perfstandbyok: ignored(),
};

const unreachableStatus = 503;

/** `sys/health`, for load balancers, which read only the status. */
export function healthRow({ seal, reachable, clock }: SealRowParts): Row {
  return {
    pattern: 'health',
    help: 'Shows by its status whether this process can serve requests: 200 if it can, 501 before the initialisation, 503 while it is sealed or has no database.',
    operations: {
      read: operation(fields, {
        summary: 'Show the health of this process',
        unauthenticated: true,
        whileSealed: true,
        forProbes: true,
        // Probes choose the status of each state.
        replies: { 200: 'own', '2XX': 'own', '3XX': 'own', '4XX': 'own', '5XX': 'own' },
        run: async (codes) => {
          const hasStore = await reachable();
          if (hasStore && seal.state() === 'uninitialised') await seal.refresh().catch(() => {});
          const state = seal.state();
          const status = hasStore ? statusOf(state, codes) : unreachableStatus;
          return { status, body: body(hasStore) };
        },
      }),
    },
  };

  function body(hasStore: boolean): object {
    const { state, clusterName, clusterId } = seal.status();
    return {
      initialized: state !== 'uninitialised',
      sealed: state !== 'ready',
      standby: false,
      performance_standby: false,
      replication_performance_mode: 'disabled',
      replication_dr_mode: 'disabled',
      server_time_utc: Math.floor(clock.now().getTime() / 1000),
      version: apiVersion,
      enterprise: false,
      ...(state === 'uninitialised' ? {} : { cluster_name: clusterName, cluster_id: clusterId }),
      ...(hasStore ? {} : { errors: ['the database is not available'] }),
    };
  }
}

interface Codes {
  readonly activecode?: number | undefined;
  readonly sealedcode?: number | undefined;
  readonly uninitcode?: number | undefined;
}

function statusOf(state: SealState, codes: Codes): number {
  const statuses = {
    ready: codes.activecode ?? 200,
    sealed: codes.sealedcode ?? 503,
    uninitialised: codes.uninitcode ?? 501,
  } satisfies Record<SealState, number>;
  return statuses[state];
}
