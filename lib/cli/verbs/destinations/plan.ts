import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { type Rows, rowsOf } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';
import { placeOf } from '../kv/place.ts';
import { type Target, targetOf } from '../sync/target.ts';

/** Secrets of one page, the most that a request asks for. */
const pageMax = 100;
/** Pages of a plan; each has at least one secret. */
const pagesMax = 1_000_000;

export const plan: Verb = {
  name: 'plan',
  summary: 'Show what a sync would create, update, delete and refuse, without writing',
  arguments: [['<type/name>', 'the destination, such as cloud-a-sm/prod']],
  options: [
    ['--secret <secret>', 'only this secret, with its mount: secret/my-app'],
    ['--template <template>', 'as if the secrets were set again with this name template'],
    ['--granularity <granularity>', 'as if they were set again with this one: secret-path or secret-key'],
    ['--unchanged', 'also list what is in line'],
  ],
  examples: [
    'keyferry plan cloud-a-sm/prod --unchanged',
    'keyferry plan cloud-a-sm/prod --secret secret/my-app --unchanged -o wide',
  ],
  async run(context, given) {
    const target = targetOf(given.argument(0), given.verb);
    const secret = given.text('secret');
    const place = secret === undefined ? undefined : await placeOf(context.client, secret);
    const objects = await planned(context, target, {
      ...(place && { mount: place.mount, secret_name: place.path }),
      secret_name_template: given.text('template'),
      granularity: given.text('granularity'),
    });
    const isChange = (object: Value) => textOf(object, 'action') !== 'leave';
    const rows = given.flag('unchanged') ? objects : objects.filter(isChange);
    return { ...planTable(rows), exit: objects.some(isChange) ? 'differences' : 'done' };
  },
};

interface Wanted {
  readonly mount?: string;
  readonly secret_name?: string;
  readonly secret_name_template?: string | undefined;
  readonly granularity?: string | undefined;
}

/** The objects of all pages. */
export async function planned({ client, say }: Context, target: Target, wanted: Wanted): Promise<readonly Value[]> {
  const { secret_name_template, granularity, ...filter } = wanted;
  const set = { secret_name_template, granularity };
  const isSet = secret_name_template !== undefined || granularity !== undefined;
  const objects: Value[] = [];
  let after = '';
  for (let page = 0; page < pagesMax; page += 1) {
    const fields = { ...filter, limit: pageMax, after: after || undefined };
    const { data } = isSet
      ? await client.call(sync.planChange, target, { ...fields, ...set })
      : await client.call(sync.planDestination, target, fields);
    const found = memberOf(data, 'objects');
    objects.push(...(Array.isArray(found) ? found : []));
    after = textOf(data, 'after');
    if (after === '') break;
    say(
      `${new Set(objects.map((object) => textOf(object, 'id'))).size} of ${textOf(data, 'total')} secrets are planned so far`,
    );
  }
  return objects;
}

export function planTable(objects: readonly Value[]): Rows {
  const rows = objects.map((object) => ({
    action: textOf(object, 'action'),
    secret: `${textOf(object, 'mount')}/${textOf(object, 'secret_name')}`,
    key: textOf(object, 'sub_key'),
    external_name: textOf(object, 'external_name'),
    reason: textOf(object, 'error', 'message') || textOf(object, 'reason'),
    looked: memberOf(object, 'looked') ?? null,
  }));
  const columns = {
    action: 'action',
    secret: 'secret',
    key: 'key',
    external_name: 'name at the destination',
    reason: 'reason',
  };
  return rowsOf(columns, rows, { looked: 'looked at' });
}
