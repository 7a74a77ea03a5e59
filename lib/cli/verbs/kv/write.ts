import type { Reply } from '#client/client.ts';
import { kv1, kv2 } from '#client/operations/kv.ts';
import type { ObjectValue, Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { usage } from '../../failure.ts';
import { one, type Result } from '../../output/result.ts';
import type { Described, Given, Verb } from '../../verb.ts';
import { secretPlaceOf, versionedPlace } from './place.ts';
import { present } from './present.ts';
import { valuesOf } from './values.ts';

const valueArgument: Described = [
  '[values...]',
  'key=@file, key=- for standard input, key to be asked for it; @file or - for a whole JSON object',
];
const writeOptions: readonly Described[] = [
  ['--cas <version>', 'write only if this is the current version; 0: if there is none'],
  ['--inline', 'allow key=value, which other users of the machine can see'],
];
const versionMax = 1_000_000_000;

export const kvPut: Verb = {
  name: 'kv put',
  summary: 'Write a secret, or a new version of it',
  arguments: [['<path>', 'the secret, with its mount: secret/my-app'], valueArgument],
  options: writeOptions,
  examples: [
    "printf 's3cret' | keyferry kv put secret/my-app password=-",
    'keyferry kv put secret/my-app certificate=@cert.pem key=@key.pem',
    'keyferry kv put secret/my-app @my-app.json',
    'keyferry kv put secret/my-app user=app --inline',
  ],
  async run(context, given) {
    const place = await secretPlaceOf(context.client, given);
    const data = await givenValues(context, given);
    if (place.version === 2) return written(await context.client.call(kv2.write, place, { data, ...casOf(given) }));
    if (given.text('cas') !== undefined) throw usage('a KV mount of version 1 has no versions to compare', 'kv put');
    return written(await context.client.call(kv1.write, place, data));
  },
};

export const kvPatch: Verb = {
  name: 'kv patch',
  summary: 'Change some values of a secret and leave the others',
  arguments: [['<path>', 'the secret, with its mount: secret/my-app'], valueArgument],
  options: [...writeOptions, ['--remove <keys>', 'remove these keys, separated by commas']],
  examples: [
    "printf 'n3w' | keyferry kv patch secret/my-app password=-",
    'keyferry kv patch secret/my-app --remove user',
  ],
  async run(context, given) {
    const place = await versionedPlace(context.client, given);
    const removed = (given.text('remove') ?? '').split(',').filter((key) => key !== '');
    const values = given.arguments.length > 1 ? await givenValues(context, given) : {};
    const data = { ...values, ...Object.fromEntries(removed.map((key) => [key, null])) };
    if (Object.keys(data).length === 0) throw usage('there is nothing to change', 'kv patch');
    const patch = context.client.call(kv2.patch, place, { data, ...casOf(given) });
    return written(await present(context.client, place, patch));
  },
};

async function givenValues(context: Context, given: Given): Promise<ObjectValue> {
  const words = given.arguments.slice(1);
  if (words.length === 0) throw usage('there are no values', given.verb);
  return valuesOf(context, words, { inline: given.flag('inline'), verb: given.verb });
}

function casOf(given: Given): { readonly options?: Value } {
  if (given.text('cas') === undefined) return {};
  return { options: { cas: given.count('cas', 0, { min: 0, max: versionMax }) } };
}

const written = ({ data }: Reply): Result => one(data ?? { written: true });
