import { sync } from '#client/operations/sync.ts';
import { textOf } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { one, type Result } from '../../output/result.ts';
import type { Described, Given, Verb } from '../../verb.ts';
import { placeOf } from '../kv/place.ts';
import { type Copy, copiesIn, copyTable, exitOf, isSettled, settledCopies } from './copies.ts';
import { settledBatch } from './settled-batch.ts';
import { targetOf } from './target.ts';

const secretArgument: Described = ['<secret>', 'the secret, with its mount: secret/my-app'];
const waitOptions: readonly Described[] = [
  ['--wait', 'wait until it is done'],
  ['--timeout <time>', 'how long --wait waits; default: 5m', { with: ['--wait'] }],
];

const prefixOptions: readonly Described[] = [
  ['--prefix', 'every secret whose path starts with this, in the background'],
  ['--dry-run', 'with --prefix: only count them', { with: ['--prefix'] }],
  ['-y, --yes', 'with --prefix: do not ask', { with: ['--prefix'] }],
];

export const associate: Verb = {
  name: 'sync',
  summary: 'Copy a secret to a destination, and keep the copy up to date',
  arguments: [secretArgument],
  options: [
    ['--to <type/name>', 'the destination'],
    ['--adopt', 'take over objects of the same name that the sync did not write'],
    ...prefixOptions,
    ...waitOptions,
  ],
  examples: [
    'keyferry sync secret/my-app --to cloud-a-sm/prod --wait',
    'keyferry sync secret/my-app --prefix --to cloud-a-sm/prod --yes --wait',
  ],
  run: (context, given) =>
    given.flag('prefix')
      ? changeMany(context, given, sync.associate, { adopt: given.flag('adopt') })
      : change(context, given, async (target, fields) => {
          const reply = await context.client.call(sync.associate, target, { ...fields, adopt: given.flag('adopt') });
          return reply.data;
        }),
};

export const dissociate: Verb = {
  name: 'unsync',
  summary: 'Remove the copy of a secret from a destination',
  arguments: [secretArgument],
  options: [['--to <type/name>', 'the destination'], ...prefixOptions, ...waitOptions],
  examples: [
    'keyferry unsync secret/my-app --to cloud-a-sm/prod --wait',
    'keyferry unsync secret/my-app --prefix --to cloud-a-sm/prod --dry-run',
  ],
  run: (context, given) =>
    given.flag('prefix')
      ? changeMany(context, given, sync.dissociate, {})
      : change(
          context,
          given,
          async (target, fields) => (await context.client.call(sync.dissociate, target, fields)).data,
        ),
};

type Change = (
  target: { readonly type: string; readonly name: string },
  fields: { readonly mount: string; readonly secret_name: string },
) => Promise<Parameters<typeof copiesIn>[0]>;

async function change(context: Context, given: Given, send: Change): Promise<Result> {
  const target = targetOf(given.text('to'), given.verb);
  const place = await placeOf(context.client, given.argument(0));
  const destination = `${target.type}/${target.name}`;
  const secret = `${place.mount}/${place.path}`;
  const data = await send(target, { mount: place.mount, secret_name: place.path });
  let copies: readonly Copy[] = copiesIn(data, { destination }).filter((copy) => copy.secret === secret);
  if (given.flag('wait') && !copies.every(isSettled)) copies = await settledCopies(context, given, place, target);
  return { ...copyTable(copies), exit: exitOf(copies) };
}

/** Copies or removes every secret whose path starts with the argument. A slash at its end is part of the prefix. */
async function changeMany(
  context: Context,
  given: Given,
  operation: typeof sync.associate | typeof sync.dissociate,
  more: { readonly adopt?: boolean },
): Promise<Result> {
  const { client, questions } = context;
  const target = targetOf(given.text('to'), given.verb);
  const { mount, path } = await placeOf(client, given.argument(0));
  const secret_prefix = path === '' || given.argument(0).endsWith('/') ? `${path}/` : path;
  const fields = { mount, secret_prefix, ...more };
  const { data: preview } = await client.call(operation, target, { ...fields, dry_run: true });
  if (given.flag('dryRun')) return one(preview ?? null);
  const what = `${textOf(preview, 'total')} secrets`;
  const destination = `${target.type}/${target.name}`;
  const question =
    operation === sync.associate ? `Copy ${what} to ${destination}?` : `Remove ${what} from ${destination}?`;
  await questions.agree(question, given.flag('yes'), given.verb);
  const { data } = await client.call(operation, target, fields);
  return given.flag('wait') ? settledBatch(context, given, textOf(data, 'id')) : one(data ?? null);
}
