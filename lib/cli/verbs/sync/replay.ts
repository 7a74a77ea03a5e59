import type { Verb } from '../../verb.ts';
import { batchOptions, runBatch } from './run-batch.ts';

export const replay: Verb = {
  name: 'replay',
  summary: 'Queue failed syncs again; by a filter also others',
  options: batchOptions('the failed syncs of all destinations'),
  examples: [
    'keyferry replay --all --dry-run',
    'keyferry replay --type cloud-a-sm --name prod --rate 20 --yes --wait',
    'keyferry replay --kind permission --older-than 1h --limit 100 --yes',
    'keyferry replay --drift any --yes',
  ],
  run: (context, given) => runBatch(context, given, 'replay'),
};
