import { operation, type Row } from '#path/contract/row.ts';
import type { DiagnosisParts } from './parts.ts';

/** `sys/internal/counters/`, from which clients of the API family read the size of an installation. */
export const counterRows = ({ countTokens, countEntities }: DiagnosisParts): readonly Row[] => [
  row('tokens', 'Count the service tokens', 'Counts the service tokens in the store.', async () => ({
    service_tokens: { total: await countTokens() },
  })),
  row('entities', 'Count the entities', 'Counts the entities in the store.', async () => ({
    entities: { total: await countEntities() },
  })),
  row(
    'requests',
    'Show that requests are not counted here',
    'Shows no counts, because requests are counted by metrics; see `sys/metrics`.',
    async () => [],
  ),
  {
    pattern: 'internal/counters/activity',
    help: 'Shows no counts, because clients are not counted by month.',
    operations: {
      read: operation({}, { summary: 'Show the counts of clients', run: async () => undefined }),
    },
  },
  {
    pattern: 'internal/counters/config',
    help: 'Shows that clients are not counted by month.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the settings of client counting',
          run: async () => ({ data: { enabled: 'default-disabled', queries_available: false, retention_months: 0 } }),
        },
      ),
    },
  },
];

const row = (name: string, summary: string, help: string, count: () => Promise<object>): Row => ({
  pattern: `internal/counters/${name}`,
  help,
  operations: {
    read: operation({}, { summary, run: async () => ({ data: { counters: await count() } }) }),
  },
});
