import { sync } from '#client/operations/sync.ts';
import { system } from '#client/operations/system.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, type ObjectValue, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../context.ts';
import { one, type Result } from '../output/result.ts';
import type { Verb } from '../verb.ts';
import { lastHour } from './last-hour.ts';
import { watched, watchOptions } from './watch.ts';

export const status: Verb = {
  name: 'status',
  summary: 'Show the state of the server and of the sync',
  options: watchOptions,
  examples: ['keyferry status', 'keyferry status --watch --interval 1 --times 2'],
  run: (context, given) => watched(context, given, () => stateNow(context)),
};

async function stateNow(context: Context): Promise<Result> {
  const seal = (await context.clientWith(undefined).call(system.sealStatus, {})).data;
  const isSealed = memberOf(seal, 'sealed') === true;
  const state: ObjectValue = {
    address: context.settings.connection.address,
    version: memberOf(seal, 'version'),
    cluster: memberOf(seal, 'cluster_name'),
    initialized: memberOf(seal, 'initialized'),
    sealed: isSealed,
    seal: memberOf(seal, 'type'),
    ...(isSealed ? { shares: `${textOf(seal, 'progress')} of ${textOf(seal, 't')}` } : {}),
    ...(isSealed ? {} : { sync: await syncState(context) }),
  };
  return { ...one(state), exit: isSealed ? 'sealed' : 'done' };
}

/** What the token may see of the sync; without a token, nothing. */
async function syncState(context: Context): Promise<Value> {
  const { client, settings } = context;
  if (settings.connection.token === undefined) return 'log in to see it';
  const config = await permitted(client.call(sync.readConfig, {}));
  if (config === undefined) return 'the token may not read it';
  const metrics = await permitted(client.call(system.metrics, {}, { format: 'prometheus' }));
  const pending = gauge(metrics?.whole, 'keyferry_sync_pending_operations');
  const hour = await lastHour(context);
  return {
    disabled: memberOf(config.data, 'disabled'),
    queue_capacity: memberOf(config.data, 'queue_capacity'),
    ...(pending === undefined ? {} : { pending }),
    ...(hour === undefined ? {} : { last_hour: hour }),
  };
}

async function permitted<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CallFailure && error.status === 403 && !error.isTokenInvalid) return undefined;
    throw error;
  }
}

function gauge(metrics: Value | undefined, name: string): number | undefined {
  const found = typeof metrics === 'string' ? new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}
