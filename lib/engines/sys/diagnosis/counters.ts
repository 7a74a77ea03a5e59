import { operation, type Row } from '../../../path/contract/row.ts';
import type { DiagnosisParts } from './parts.ts';

/** `sys/internal/counters/`: what clients of the API family ask for the size of an installation. */
export const counterRows = ({ countTokens, countEntities }: DiagnosisParts): readonly Row[] => [
  row('tokens', 'Service tokens in the store.', async () => ({ service_tokens: { total: await countTokens() } })),
  row('entities', 'Entities in the store.', async () => ({ entities: { total: await countEntities() } })),
  row('requests', 'Nothing: requests are counted by the metrics, see `sys/metrics`.', async () => []),
  {
    pattern: 'internal/counters/activity',
    help: 'Nothing: the clients of a month are not counted.',
    operations: {
      read: operation({}, { summary: 'Answers that nothing is counted.', run: async () => undefined }),
    },
  },
  {
    pattern: 'internal/counters/config',
    help: 'Says that the clients of a month are not counted.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the settings.',
          run: async () => ({ data: { enabled: 'default-disabled', queries_available: false, retention_months: 0 } }),
        },
      ),
    },
  },
];

const row = (name: string, help: string, count: () => Promise<object>): Row => ({
  pattern: `internal/counters/${name}`,
  help,
  operations: {
    read: operation({}, { summary: help, run: async () => ({ data: { counters: await count() } }) }),
  },
});
