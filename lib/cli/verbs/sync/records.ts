import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { one, type Rows, rowsOf } from '../../output/result.ts';
import type { Given, Verb } from '../../verb.ts';
import { watched, watchOptions } from '../watch.ts';
import { filterOf, filterOptions } from './filter.ts';

/** Records of one page, the most that a reply has. */
const pageMax = 500;
const limitMax = 1_000_000;

const list: Verb = {
  name: 'records list',
  summary: 'List syncs of all destinations with their states',
  options: [...filterOptions, ['--limit <count>', 'at most this many; default: 100'], ...watchOptions],
  examples: [
    'keyferry records list --status CLIENT_SIDE_ERROR,EXTERNAL_SERVICE_ERROR',
    'keyferry records list --type cloud-a-sm --name prod --prefix my- -o ndjson',
    'keyferry records list --drift any',
    'keyferry records list --unconfirmed',
  ],
  run: (context, given) => watched(context, given, () => listed(context, given)),
};

async function listed(context: Context, given: Given): Promise<Rows> {
  const limit = given.count('limit', 100, { min: 1, max: limitMax });
  const filter = filterOf(given);
  const rows: Rows['rows'][number][] = [];
  let [after, total] = ['', ''];
  do {
    const fields = { ...filter, limit: Math.min(pageMax, limit - rows.length), after: after || undefined };
    const { data } = await context.client.call(sync.listRecords, {}, fields);
    const records = memberOf(data, 'records');
    rows.push(...(Array.isArray(records) ? records : []).map(rowOf));
    total = `${memberOf(data, 'total_at_least') === true ? 'at least ' : ''}${textOf(data, 'total')}`;
    after = textOf(data, 'after');
  } while (after !== '' && rows.length < limit);
  if (after !== '') context.say(`${rows.length} of ${total} are shown; --limit shows more`);
  const columns = { destination: 'destination', secret: 'secret', status: 'status', error: 'error', id: 'id' };
  return rowsOf(columns, rows, {
    attempts: 'attempts',
    pending_since: 'pending since',
    next_attempt_at: 'next attempt',
    unconfirmed: 'unconfirmed',
    drift: 'drift',
    drift_at: 'drift seen',
    updated_at: 'updated',
  });
}

const rowOf = (record: Value) => ({
  destination: `${textOf(record, 'destination', 'type')}/${textOf(record, 'destination', 'name')}`,
  secret: `${textOf(record, 'mount')}/${textOf(record, 'secret_name')}`,
  status: textOf(record, 'status'),
  error: textOf(record, 'error', 'message'),
  kind: textOf(record, 'error', 'kind'),
  remedy: textOf(record, 'error', 'remedy'),
  attempts: memberOf(record, 'attempts') ?? null,
  pending_since: textOf(record, 'pending_since'),
  next_attempt_at: textOf(record, 'next_attempt_at'),
  unconfirmed: memberOf(record, 'unconfirmed') ?? null,
  drift: textOf(record, 'drift'),
  drift_at: textOf(record, 'drift_at'),
  updated_at: textOf(record, 'updated_at'),
  id: textOf(record, 'id'),
});

const get: Verb = {
  name: 'records get',
  summary: 'Show one sync, with its copies at the destination',
  arguments: [['<id>', 'id of the record, from `keyferry records list`']],
  options: watchOptions,
  examples: ['keyferry records get "$RECORD"', 'keyferry records get "$RECORD" --watch --interval 1 --times 2'],
  run: (context, given) =>
    watched(context, given, async () =>
      one((await context.client.call(sync.readRecord, { id: given.argument(0) })).data ?? null),
    ),
};

const history: Verb = {
  name: 'records history',
  summary: 'List the last attempts of one sync, the newest first',
  arguments: [['<id>', 'id of the record, from `keyferry records list`']],
  options: watchOptions,
  examples: ['keyferry records history "$RECORD"'],
  run: (context, given) => watched(context, given, () => attempts(context, given.argument(0))),
};

async function attempts({ client }: Context, id: string): Promise<Rows> {
  const made = memberOf((await client.call(sync.readHistory, { id })).data, 'attempts');
  const columns = { ended_at: 'ended', outcome: 'outcome', duration_ms: 'ms', calls: 'calls', error: 'error' };
  return rowsOf(columns, (Array.isArray(made) ? made : []).map(attemptRow), {
    remedy: 'what to do',
    external_request_id: 'request at the destination',
    generation: 'change',
  });
}

const attemptRow = (attempt: Value) => ({
  ended_at: textOf(attempt, 'ended_at'),
  outcome: textOf(attempt, 'outcome'),
  duration_ms: memberOf(attempt, 'duration_ms') ?? null,
  calls: memberOf(attempt, 'calls') ?? null,
  error: textOf(attempt, 'error', 'message'),
  kind: textOf(attempt, 'error', 'kind'),
  remedy: textOf(attempt, 'error', 'remedy'),
  external_request_id: textOf(attempt, 'external_request_id'),
  generation: memberOf(attempt, 'generation') ?? null,
});

export const records: readonly Verb[] = [list, get, history];
