import { hostname } from 'node:os';
import { operation, type Row } from '#path/contract/row.ts';
import { apiVersion, buildDate } from '../seal/version.ts';
import type { DiagnosisParts } from './parts.ts';

/** Cluster paths of the API family. There is no leader here: every process answers every request. */
export const clusterRows = ({ address, installedAt }: DiagnosisParts): readonly Row[] => [
  ...constantRows,
  haStatusRow(address),
  versionHistoryRow(installedAt),
];

const constantRows: readonly Row[] = [
  {
    pattern: 'step-down',
    help: 'Has no effect: no process leads, so none can step down.',
    operations: {
      write: operation(
        {},
        { summary: 'Step down as leader, which has no effect', sudo: true, run: async () => undefined },
      ),
    },
  },
  {
    pattern: 'replication/status',
    help: 'Shows that replication is off: every process works on one store.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the state of replication',
          unauthenticated: true,
          run: async () => ({ data: { dr: { mode: 'disabled' }, performance: { mode: 'disabled' } } }),
        },
      ),
    },
  },
  {
    pattern: 'internal/ui/feature-flags',
    help: 'Shows the feature flags of user interfaces of the API family. None is set.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the feature flags',
          replies: { 200: 'own' },
          unauthenticated: true,
          run: async () => ({ body: { feature_flags: [] } }),
        },
      ),
    },
  },
];

const haStatusRow = (address: string): Row => ({
  pattern: 'ha-status',
  help: 'Shows the answering process. Processes do not know each other.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Show the answering process',
        run: async () => ({ data: { nodes: [node(address)] }, flat: true }),
      },
    ),
  },
});

const versionHistoryRow = (installedAt: DiagnosisParts['installedAt']): Row => ({
  pattern: 'version-history/',
  help: 'Lists the version of the API, and when the store was created.',
  operations: {
    list: operation(
      {},
      {
        summary: 'List the versions of the API',
        async run() {
          const installed = { timestamp_installed: (await installedAt()).toISOString() };
          const info = { previous_version: null, build_date: buildDate, ...installed };
          return { data: { keys: [apiVersion], key_info: { [apiVersion]: info } } };
        },
      },
    ),
  },
});

const node = (address: string): object => ({
  hostname: hostname(),
  api_address: address,
  cluster_address: '',
  active_node: true,
  last_echo: null,
  version: apiVersion,
  upgrade_version: apiVersion,
});
