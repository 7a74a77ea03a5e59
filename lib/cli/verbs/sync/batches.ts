import { sync } from '#client/operations/sync.ts';
import { isObject, memberOf, textOf } from '#client/wire/json.ts';
import { usage } from '../../failure.ts';
import { one, rowsOf } from '../../output/result.ts';
import type { Described, Verb } from '../../verb.ts';
import { noneThere } from './copies.ts';
import { actions, batchOptions, runBatch } from './run-batch.ts';

const idArgument: Described = ['<id>', 'id of the batch, from `keyferry batches list`'];

const list: Verb = {
  name: 'batches list',
  summary: 'List the batches, the newest first',
  examples: ['keyferry batches list'],
  async run({ client }) {
    const { data } = await client.call(sync.listBatches, {}).catch(noneThere);
    const byId = memberOf(data, 'key_info');
    const rows = Object.values(isObject(byId) ? byId : {}).map((batch) => ({
      id: textOf(batch, 'id'),
      action: textOf(batch, 'action'),
      state: textOf(batch, 'state'),
      total: memberOf(batch, 'total') ?? null,
      changed: memberOf(batch, 'changed') ?? null,
      failed: memberOf(batch, 'counts', 'failed') ?? null,
      created_at: textOf(batch, 'created_at'),
    }));
    const columns = {
      id: 'id',
      action: 'action',
      state: 'state',
      total: 'total',
      changed: 'changed',
      failed: 'failed',
    };
    return rowsOf(columns, rows, { created_at: 'created' });
  },
};

const get: Verb = {
  name: 'batches get',
  summary: 'Show how far a batch has come, and what became of its syncs',
  arguments: [idArgument],
  examples: ['keyferry batches get "$BATCH"'],
  run: async ({ client }, given) => one((await client.call(sync.readBatch, { id: given.argument(0) })).data ?? null),
};

const cancel: Verb = {
  name: 'batches cancel',
  summary: 'End a batch; what it has changed stays changed',
  arguments: [idArgument],
  examples: ['keyferry batches cancel "$BATCH"'],
  run: async ({ client }, given) => one((await client.call(sync.cancelBatch, { id: given.argument(0) })).data ?? null),
};

const create: Verb = {
  name: 'batches create',
  summary: 'Replay, force, set again or remove all syncs that match, in the background',
  arguments: [['<action>', 'replay, force, set or remove']],
  options: batchOptions('every sync of the namespace; with replay, every failed one'),
  examples: [
    'keyferry batches create replay --kind credentials --dry-run',
    'keyferry batches create force --type cloud-a-sm --name prod --rate 20 --yes --wait',
  ],
  async run(context, given) {
    const action = actions.find((one) => one === given.argument(0));
    if (action === undefined)
      throw usage(
        `"${given.argument(0)}" is no action: it is ${actions.join(', ')}`.replace(/, (\w+)$/, ' or $1'),
        given.verb,
      );
    return runBatch(context, given, action);
  },
};

export const batches: readonly Verb[] = [list, get, cancel, create];
