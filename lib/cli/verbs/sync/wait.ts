import { sync } from '#client/operations/sync.ts';
import type { Context } from '../../context.ts';
import { CommandFailure, type Exit, usage } from '../../failure.ts';
import { type Result, rowsOf } from '../../output/result.ts';
import { permitted } from '../../permitted.ts';
import type { Given, Verb } from '../../verb.ts';
import { placeOf } from '../kv/place.ts';
import { type Counts, countsAt, isSettledAt, totalOf } from './at-destination.ts';
import { copyTable, exitOf, settledCopies } from './copies.ts';
import { type Target, targetOf } from './target.ts';
import { untilTrue } from './until.ts';

export const wait: Verb = {
  name: 'wait',
  summary: 'Wait until a secret, or everything at a destination, is synced',
  arguments: [['[secret]', 'the secret, with its mount; without it, --to says which destination']],
  options: [
    ['--until <state>', 'synced (default): every copy is up to date or has failed'],
    ['--to <type/name>', 'the destination'],
    ['--timeout <time>', 'how long to wait; default: 5m'],
  ],
  examples: ['keyferry wait secret/my-app --until synced --timeout 1m', 'keyferry wait --to cloud-a-sm/prod'],
  async run(context, given) {
    const until = given.text('until') ?? 'synced';
    if (until !== 'synced') throw usage(`there is no state "${until}" to wait for: it is synced`, given.verb);
    const [secret] = given.arguments;
    const to = given.text('to');
    return secret === undefined
      ? ofDestination(context, given, targetOf(to, given.verb))
      : ofSecret(context, given, secret, to);
  },
};

async function ofSecret(context: Context, given: Given, secret: string, to: string | undefined): Promise<Result> {
  const place = await placeOf(context.client, secret);
  const target = to === undefined ? undefined : targetOf(to, given.verb);
  // A destination that does not exist is told, if the token may know.
  if (target !== undefined) await permitted(context.client.call(sync.associationsOf, target, { limit: 1 }));
  const copies = await settledCopies(context, given, place, target, (found) => {
    if (found.length > 0) return;
    const where = to === undefined ? 'is associated with no destination' : `is not associated with ${to}`;
    throw new CommandFailure('failed', `${secret} ${where}`, `keyferry sync ${secret} --to ${to ?? '<type/name>'}`);
  });
  return { ...copyTable(copies), exit: exitOf(copies) };
}

/** A destination may have very many syncs, so they are counted instead of listed. */
async function ofDestination(context: Context, given: Given, target: Target): Promise<Result> {
  const waiting = `keyferry records list --type ${target.type} --name ${target.name} --status PENDING`;
  await untilTrue(context, given, waiting, () => isSettledAt(context.client, target));
  const counts = await countsAt(context.client, target);
  const destination = `${target.type}/${target.name}`;
  const failing = failedIn(counts);
  if (failing.length > 0) {
    const filter = `--type ${target.type} --name ${target.name} --status ${failing.join(',')}`;
    context.say(`some have failed: keyferry records list ${filter} has the reasons`);
  }
  const rows = [...counts].map(([status, count]) => ({ destination, status, count }));
  const table = rowsOf({ destination: 'destination', status: 'status', count: 'count' }, rows);
  return { ...table, exit: exitOfCounts(counts) };
}

const failedIn = (counts: Counts): readonly string[] =>
  [...counts.keys()].filter((status) => status.endsWith('_ERROR'));

function exitOfCounts(counts: Counts): Exit {
  const failed = failedIn(counts).reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  if (failed === 0) return 'done';
  return failed === totalOf(counts) ? 'failed' : 'someFailed';
}
