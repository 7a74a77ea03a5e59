import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { flagIn } from '../../command/combinations.ts';
import type { Context } from '../../context.ts';
import { usage } from '../../failure.ts';
import { one, type Result, rowsOf } from '../../output/result.ts';
import type { Described, Given } from '../../verb.ts';
import { filterOf, filterOptions } from './filter.ts';
import { settledBatch } from './settled-batch.ts';

export const actions = ['replay', 'force', 'set', 'remove'] as const;
export type Action = (typeof actions)[number];

const titles: Readonly<Record<Action, string>> = {
  replay: 'Replay',
  force: 'Push again',
  set: 'Set again',
  remove: 'Remove',
};

const filters: readonly Described[] = [
  ...filterOptions,
  ['--ids <ids>', 'only the records with these ids, with commas between them'],
  ['--older-than <time>', 'only syncs that have not changed for this long, such as 1h'],
];

/** @param all what `--all` selects */
export const batchOptions = (all: string): readonly Described[] => [
  ...filters.map(withDefault),
  ['--all', all, { without: filters.map(([form]) => flagIn(form)) }],
  ['--limit <count>', 'at most this many'],
  ['--rate <count>', 'at most this many per second'],
  ['--dry-run', 'only count them'],
  ['--wait', 'wait until the outcome of all is known'],
  ['--timeout <time>', 'how long --wait waits; default: 5m', { with: ['--wait'] }],
  ['-y, --yes', 'do not ask'],
];

function withDefault([form, help]: Described): Described {
  const statuses = 'default of a replay: the error states, with --drift or --unconfirmed also SYNCED';
  return [form, form.startsWith('--status') ? `${help}; ${statuses}` : help];
}

/** Counts what the options select, asks, and starts the batch. @throws CommandFailure */
export async function runBatch(context: Context, given: Given, action: Action): Promise<Result> {
  const wanted = wantedBy(given, action);
  const { count, preview } = await counted(context, wanted);
  if (given.flag('dryRun')) return previewTable(preview);
  await context.questions.agree(`${titles[action]} ${count} syncs?`, given.flag('yes'), given.verb);
  const { data } = await context.client.call(sync.createBatch, {}, wanted);
  const id = textOf(data, 'id');
  if (given.flag('wait')) return settledBatch(context, given, id);
  context.say(`it goes on in the background: keyferry batches get ${id} shows what becomes of the syncs`);
  return one(data ?? null);
}

/** The fields of a batch that both the dry run and the start send. */
export type Wanted = Readonly<Record<string, Value | undefined>>;

/** What a batch would change now, and that number in words. */
export async function counted(
  { client }: Context,
  wanted: Wanted,
): Promise<{ readonly count: string; readonly preview: Value | undefined }> {
  const { data: preview } = await client.call(sync.createBatch, {}, { ...wanted, dry_run: true });
  const [total, change] = [Number(textOf(preview, 'total')), Number(textOf(preview, 'would_change'))];
  const isExact = memberOf(preview, 'total_is_exact') === true || change < total;
  return { count: `${isExact ? '' : 'at least '}${change}`, preview };
}

/** A replay selects failed syncs by itself. Those with drift or an unconfirmed write usually read SYNCED. */
const statusesBesides = 'SYNCED,CLIENT_SIDE_ERROR,EXTERNAL_SERVICE_ERROR,INTERNAL_ERROR';

/** @throws CommandFailure */
function wantedBy(given: Given, action: Action): Wanted {
  const filter = { ...filterOf(given), ids: given.text('ids'), older_than: given.text('olderThan') };
  const isEmpty = Object.values(filter).every((value) => value === undefined);
  if (isEmpty && !given.flag('all')) throw usage('name a filter, or --all', given.verb);
  const isBesides = action === 'replay' && (filter.drift !== undefined || filter.unconfirmed === true);
  return {
    action,
    ...filter,
    status: filter.status ?? (isBesides ? statusesBesides : undefined),
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
