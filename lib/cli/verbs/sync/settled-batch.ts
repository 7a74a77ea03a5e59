import { sync } from '#client/operations/sync.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import type { Exit } from '../../failure.ts';
import { one, type Result } from '../../output/result.ts';
import type { Given } from '../../verb.ts';
import { untilTrue } from './until.ts';

/** Waits for the outcomes, and tells on standard error how far the batch is. */
export async function settledBatch(context: Context, given: Given, id: string): Promise<Result> {
  let batch: Value | undefined;
  let told = '';
  await untilTrue(context, given, `keyferry batches get ${id}`, async () => {
    batch = (await context.client.call(sync.readBatch, { id })).data;
    const progress = `${textOf(batch, 'state')}: ${Math.floor(Number(textOf(batch, 'progress')) * 100)} %`;
    if (progress !== told) context.say(progress);
    told = progress;
    return ['done', 'canceled', 'failed'].includes(textOf(batch, 'state'));
  });
  if (failedIn(batch) > 0) context.say(`some have failed: keyferry records list ${failedOf(batch)} has the reasons`);
  return { ...one(batch ?? null), exit: exitOf(batch) };
}

const failedIn = (batch: Value | undefined): number => Number(textOf(batch, 'counts', 'failed'));

/** The options that select the failed syncs of the destination that the batch is about, or of all. */
function failedOf(batch: Value | undefined): string {
  const options = ['type', 'name'].flatMap((name) => {
    const value = textOf(batch, 'filter', name);
    return value === '' ? [] : [`--${name} ${value}`];
  });
  return [...options, '--status CLIENT_SIDE_ERROR,EXTERNAL_SERVICE_ERROR,INTERNAL_ERROR'].join(' ');
}

function exitOf(batch: Value | undefined): Exit {
  const failed = failedIn(batch);
  if (textOf(batch, 'state') !== 'done') return 'failed';
  if (failed === 0) return 'done';
  return failed === Number(textOf(batch, 'changed')) ? 'failed' : 'someFailed';
}
