import { sync } from '#client/operations/sync.ts';
import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { type Exit, usage } from '../../failure.ts';
import { one, type Result, rowsOf } from '../../output/result.ts';
import type { Described, Given, Verb } from '../../verb.ts';
import { noneThere } from './copies.ts';
import { filterOf, filterOptions } from './filter.ts';
import { untilTrue } from './until.ts';

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
  options: [
    ...filterOptions,
    ['--ids <ids>', 'only the records with these ids, with commas between them'],
    ['--older-than <time>', 'only syncs that have not changed for this long, such as 1h'],
    ['--all', 'every sync of the namespace'],
    ['--limit <count>', 'at most this many'],
    ['--rate <count>', 'at most this many per second'],
    ['--dry-run', 'only count them'],
    ['--wait', 'wait until the outcome of all is known'],
    ['--timeout <time>', 'how long --wait waits; default: 5m'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: [
    'keyferry batches create replay --kind credentials --dry-run',
    'keyferry batches create force --type cloud-a-sm --name prod --rate 20 --yes --wait',
  ],
  async run(context, given) {
    const { client, questions } = context;
    const wanted = wantedBy(given);
    const { data: preview } = await client.call(sync.createBatch, {}, { ...wanted, dry_run: true });
    if (given.flag('dryRun')) return previewTable(preview);
    const count = `${memberOf(preview, 'total_is_exact') === true ? '' : 'at least '}${textOf(preview, 'would_change')}`;
    await questions.agree(`${titles[given.argument(0)] ?? ''} ${count} syncs?`, given.flag('yes'), given.verb);
    const { data } = await client.call(sync.createBatch, {}, wanted);
    return given.flag('wait') ? settledBatch(context, given, textOf(data, 'id')) : one(data ?? null);
  },
};

const titles: Readonly<Record<string, string>> = {
  replay: 'Replay',
  force: 'Push again',
  set: 'Set again',
  remove: 'Remove',
};

/** @throws CommandFailure */
function wantedBy(given: Given) {
  const action = given.argument(0);
  if (titles[action] === undefined)
    throw usage(`"${action}" is no action: it is replay, force, set or remove`, given.verb);
  const filter = { ...filterOf(given), ids: given.text('ids'), older_than: given.text('olderThan') };
  const isEmpty = Object.values(filter).every((value) => value === undefined);
  if (isEmpty && !given.flag('all')) throw usage('name a filter, or --all', given.verb);
  return {
    action,
    ...filter,
    all: isEmpty || undefined,
    limit: given.text('limit'),
    rate: given.text('rate'),
  };
}

function previewTable(preview: Value | undefined): Result {
  const counts = memberOf(preview, 'counts');
  const rows = (Array.isArray(counts) ? counts : []).map((count) => ({
    destination: `${textOf(count, 'type')}/${textOf(count, 'name')}`,
    status: textOf(count, 'status'),
    count: memberOf(count, 'count') ?? null,
  }));
  return rowsOf({ destination: 'destination', status: 'status', count: 'count' }, rows);
}

/** Waits for the outcomes, and tells on standard error how far the batch is. */
export async function settledBatch(context: Context, given: Given, id: string): Promise<Result> {
  let batch: Value | undefined;
  let told = '';
  await untilTrue(context, given, async () => {
    batch = (await context.client.call(sync.readBatch, { id })).data;
    const progress = `${textOf(batch, 'state')}: ${Math.floor(Number(textOf(batch, 'progress')) * 100)} %`;
    if (progress !== told) context.say(progress);
    told = progress;
    return ['done', 'canceled', 'failed'].includes(textOf(batch, 'state'));
  });
  return { ...one(batch ?? null), exit: exitOf(batch) };
}

function exitOf(batch: Value | undefined): Exit {
  const failed = Number(textOf(batch, 'counts', 'failed'));
  if (textOf(batch, 'state') !== 'done') return 'failed';
  if (failed === 0) return 'done';
  return failed === Number(textOf(batch, 'changed')) ? 'failed' : 'someFailed';
}

export const batches: readonly Verb[] = [list, get, cancel, create];
