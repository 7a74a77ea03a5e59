import { hostname } from 'node:os';
import { operation, type Row } from '../../../path/contract/row.ts';
import { apiVersion, buildDate } from '../seal/version.ts';
import type { DiagnosisParts } from './parts.ts';

/** What the API family asks of clusters with a leader. Here every process answers every request. */
export const clusterRows = ({ address, installedAt }: DiagnosisParts): readonly Row[] => [
  {
    pattern: 'step-down',
    help: 'Does nothing: no process leads, so none can step down.',
    operations: {
      write: operation({}, { summary: 'Does nothing.', sudo: true, run: async () => undefined }),
    },
  },
  {
    pattern: 'ha-status',
    help: 'The process that answers. Processes do not know each other.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the process that answers.',
          run: async () => ({ data: { nodes: [node(address)] }, flat: true }),
        },
      ),
    },
  },
  {
    pattern: 'replication/status',
    help: 'There is no replication: every process works on one store.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show that there is no replication.',
          unauthenticated: true,
          run: async () => ({ data: { dr: { mode: 'disabled' }, performance: { mode: 'disabled' } } }),
        },
      ),
    },
  },
  {
    pattern: 'internal/ui/feature-flags',
    help: 'Flags of user interfaces of the API family. None is set.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the flags.',
          ownForm: true,
          unauthenticated: true,
          run: async () => ({ body: { feature_flags: [] } }),
        },
      ),
    },
  },
  {
    pattern: 'version-history/',
    help: 'The version of the API, and since when the store is there.',
    operations: {
      list: operation(
        {},
        {
          summary: 'List the versions.',
          async run() {
            const installed = { timestamp_installed: (await installedAt()).toISOString() };
            const info = { previous_version: null, build_date: buildDate, ...installed };
            return { data: { keys: [apiVersion], key_info: { [apiVersion]: info } } };
          },
        },
      ),
    },
  },
];

const node = (address: string): object => ({
  hostname: hostname(),
  api_address: address,
  cluster_address: '',
  active_node: true,
  last_echo: null,
  version: apiVersion,
  upgrade_version: apiVersion,
});
