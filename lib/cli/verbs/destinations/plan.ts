import { sync } from '#client/operations/sync.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { CommandFailure, usage } from '../../failure.ts';
import type { Result } from '../../output/result.ts';
import type { Given, Verb } from '../../verb.ts';
import { placeOf } from '../kv/place.ts';
import { settledBatch } from '../sync/settled-batch.ts';
import { targetOf } from '../sync/target.ts';
import { isChange, planLine, planTable } from './plan-table.ts';
import { type Asked, type PlannedObjects, planned } from './planned.ts';

export const plan: Verb = {
  name: 'plan',
  summary: 'Show what a sync would create, update, delete and refuse, and apply exactly that if asked',
  arguments: [['[type/name]', 'the destination, such as cloud-a-sm/prod; without it, --all']],
  options: [
    ['--all', 'all destinations'],
    ['--type <type>', 'with --all: only destinations of this type', { with: ['--all'] }],
    ['--name <name>', 'with --all: only destinations of this name', { with: ['--all'] }],
    ['--secret <secret>', 'only this secret, with its mount: secret/my-app'],
    ['--template <template>', 'as if the secrets were set again with this name template', { without: ['--all'] }],
    [
      '--granularity <granularity>',
      'as if they were set again with this one: secret-path or secret-key',
      { without: ['--all'] },
    ],
    ['--unchanged', 'also list what is in line', { without: ['--apply'] }],
    ['--apply', 'do what the plan says and nothing else, and wait for the outcome'],
    ['--rate <count>', 'with --apply: at most this many syncs per second', { with: ['--apply'] }],
    ['-y, --yes', 'with --apply: do not ask', { with: ['--apply'] }],
    ['--timeout <time>', 'how long --apply waits for the outcome; default: 5m', { with: ['--apply'] }],
  ],
  examples: [
    'keyferry plan cloud-a-sm/prod --unchanged',
    'keyferry plan cloud-a-sm/prod --secret secret/my-app --unchanged -o wide',
    'keyferry plan --all --unchanged',
    'keyferry plan cloud-a-sm/prod --apply --yes',
  ],
  async run(context, given) {
    const found = await planned(context, await askedBy(context, given));
    const { objects } = found;
    const secret = given.text('secret');
    if (secret !== undefined && objects.length === 0) throw notAssociated(given, secret);
    if (given.flag('apply')) return applied(context, given, found);
    const rows = given.flag('unchanged') ? objects : objects.filter(isChange);
    if (!objects.some(isChange)) context.say(`nothing differs; objects looked at: ${objects.length}`);
    return { ...planTable(rows), exit: exitOf(objects) };
  },
};

function notAssociated(given: Given, secret: string): CommandFailure {
  const [at] = given.arguments;
  const where = at === undefined ? 'is associated with no destination that matches' : `is not associated with ${at}`;
  return new CommandFailure('failed', `${secret} ${where}`, `keyferry sync ${secret} --to ${at ?? '<type/name>'}`);
}

/** A destination that could not be looked at is a failure; a change alone is a difference. */
function exitOf(objects: readonly Value[]): 'someFailed' | 'differences' | 'done' {
  if (objects.some(isError)) return 'someFailed';
  return objects.some(isChange) ? 'differences' : 'done';
}

const isError = (object: Value): boolean => textOf(object, 'action') === 'error';

/** @throws CommandFailure */
async function askedBy({ client }: Context, given: Given): Promise<Asked> {
  const isAll = given.flag('all');
  if (isAll === (given.arguments[0] !== undefined))
    throw usage('name a destination, as in cloud-a-sm/prod, or give --all', given.verb);
  const set = { secret_name_template: given.text('template'), granularity: given.text('granularity') };
  const isSet = Object.values(set).some((value) => value !== undefined);
  const [type, name] = [given.text('type'), given.text('name')];
  const secret = given.text('secret');
  const place = secret === undefined ? undefined : await placeOf(client, secret);
  const keep = given.flag('apply');
  if (isAll) return { keep, filter: { type, name, ...(place && { mount: place.mount, secret: place.path }) } };
  const target = targetOf(given.argument(0), given.verb);
  const filter = place === undefined ? {} : { mount: place.mount, secret_name: place.path };
  return { keep, target, filter, ...(isSet && { set }) };
}

const changing: ReadonlySet<string> = new Set(['create', 'update', 'delete']);

/** Shows the plan on standard error, asks, applies it, and waits for the outcome. */
async function applied(context: Context, given: Given, { objects, planId }: PlannedObjects): Promise<Result> {
  const { client, questions, say } = context;
  for (const object of objects.filter(isChange)) say(planLine(object));
  const { data: kept } = await client.call(sync.readPlan, { id: planId });
  const total = Number(textOf(kept, 'total'));
  if (total === 0) {
    await client.call(sync.deletePlan, { id: planId });
    say('There is nothing to apply.');
    return { ...planTable(objects.filter(isChange)), exit: exitOf(objects) };
  }
  const count = objects.filter((object) => changing.has(textOf(object, 'action'))).length;
  await questions.agree(
    `Apply this plan: ${count} changes, in ${total} syncs? What is refused or failed stays as it is.`,
    given.flag('yes'),
    given.verb,
  );
  const { data } = await client.call(sync.applyPlan, { id: planId }, { rate: given.text('rate') });
  const result = await settledBatch(context, given, textOf(data, 'id'));
  return result.exit === 'done' && objects.some(isError) ? { ...result, exit: 'someFailed' } : result;
}
