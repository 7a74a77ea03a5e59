import { sync } from '#client/operations/sync.ts';
import { system } from '#client/operations/system.ts';
import { countsIn, workersIn } from '#client/overview.ts';
import { memberOf, type ObjectValue, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { permitted } from '../../permitted.ts';
import { attentionIn, attentionLines, countsText } from './attention.ts';
import { lastHour } from './last-hour.ts';

export interface SyncState {
  readonly state: Value;
  /** Of the overview; empty when the token may not read it. */
  readonly version: string;
}

const noRight = 'the token may not read it';

/** What the token may see of the sync; without a token, nothing. */
export async function syncState(context: Context): Promise<SyncState> {
  const { client, settings } = context;
  if (settings.connection.token === undefined) return { state: 'log in to see it', version: '' };
  const overview = (await permitted(client.call(sync.overview, {})))?.data;
  const config = (await permitted(client.call(sync.readConfig, {})))?.data;
  if (overview === undefined && config === undefined) return { state: noRight, version: '' };
  const hour = await lastHour(context);
  const state = {
    ...switches(overview, config),
    ...(overview === undefined
      ? { ...(await measured(context)), overview: noRight }
      : await numbers(context, overview)),
    ...(hour === undefined ? {} : { last_hour: hour }),
  };
  return { state, version: textOf(overview, 'version') };
}

/** The pause of all syncs, and the bound of the queue. */
function switches(overview: Value | undefined, config: Value | undefined): ObjectValue {
  const until = memberOf(config, 'disabled_until') ?? null;
  return {
    disabled: memberOf(overview, 'disabled') ?? memberOf(config, 'disabled'),
    ...(until === null ? {} : { disabled_until: until }),
    queue_capacity: memberOf(overview, 'queue', 'capacity') ?? memberOf(config, 'queue_capacity'),
  };
}

/** Without the overview, the one number of the metrics. */
async function measured({ client }: Context): Promise<ObjectValue> {
  const metrics = (await permitted(client.call(system.metrics, {}, { format: 'prometheus' })))?.whole;
  const found = /^keyferry_sync_pending_operations (\d+)$/m.exec(typeof metrics === 'string' ? metrics : '')?.[1];
  return found === undefined ? {} : { pending: Number(found) };
}

async function numbers(context: Context, overview: Value): Promise<ObjectValue> {
  const isTable = context.settings.format === 'table' || context.settings.format === 'wide';
  const counts = (name: 'counts' | 'errors') =>
    isTable ? countsText(countsIn(overview, name)) : countsIn(overview, name);
  const attention = attentionIn(overview);
  const workers = workersIn(overview);
  return {
    pending: memberOf(overview, 'queue', 'pending'),
    total: memberOf(overview, 'total'),
    counts: counts('counts'),
    errors: counts('errors'),
    pending_since: memberOf(overview, 'pending_since'),
    drifted: memberOf(overview, 'drifted'),
    unconfirmed: await unconfirmed(context),
    ...(attention.length === 0 ? {} : { attention: isTable ? attentionLines(attention) : attention }),
    ...(workers.length === 0 ? {} : { workers: isTable ? workerLines(workers) : memberOf(overview, 'workers') }),
  };
}

/** How many syncs have a write whose end was not seen: a number, or the text "at least" and one. */
async function unconfirmed({ client }: Context): Promise<Value | undefined> {
  const found = (await permitted(client.call(sync.listRecords, {}, { unconfirmed: true, limit: 1 })))?.data;
  const total = memberOf(found, 'total');
  return memberOf(found, 'total_at_least') === true ? `at least ${textOf(found, 'total')}` : total;
}

const workerLines = (workers: ReturnType<typeof workersIn>): ObjectValue =>
  Object.fromEntries(
    workers.map(({ type, seen, lastSeenAt }) => [
      type,
      lastSeenAt === '' ? 'none was seen' : `${seen} in the last minute, the last at ${lastSeenAt}`,
    ]),
  );
