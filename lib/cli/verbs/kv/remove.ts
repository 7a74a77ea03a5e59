import { kv1, kv2 } from '#client/operations/kv.ts';
import { isObject, memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { usage } from '../../failure.ts';
import { one, type Rows, rowsOf } from '../../output/result.ts';
import type { Described, Given, Verb } from '../../verb.ts';
import { secretPlaceOf, versionedPlace } from './place.ts';

const pathArgument: Described = ['<path>', 'the secret, with its mount: secret/my-app'];
const agreed: Described = ['-y, --yes', 'do not ask'];

export const kvDelete: Verb = {
  name: 'kv delete',
  summary: 'Delete the current version of a secret, or some; undelete brings them back',
  arguments: [pathArgument],
  options: [
    ['--versions <numbers>', 'these versions, separated by commas'],
    ['--plan', 'delete nothing: show what becomes of the copies'],
  ],
  examples: [
    'keyferry kv delete secret/my-app --plan',
    'keyferry kv delete secret/my-app',
    'keyferry kv delete secret/my-app --versions 1,2',
  ],
  async run(context, given) {
    const { client } = context;
    if (given.flag('plan'))
      return given.text('versions') === undefined
        ? planned(context, given, kv2.deleteLatest)
        : plannedOf(context, given, kv2.deleteVersions);
    const place = await secretPlaceOf(client, given);
    if (place.version === 1 && given.text('versions') !== undefined)
      throw usage(
        `${place.mount}/ is a KV mount of version 1, which has no versions: leave --versions out`,
        given.verb,
      );
    if (place.version === 1) await client.call(kv1.delete, place);
    else if (given.text('versions') === undefined) await client.call(kv2.deleteLatest, place);
    else await client.call(kv2.deleteVersions, place, { versions: versionsOf(given) });
    return one({ deleted: given.argument(0) });
  },
};

export const kvUndelete: Verb = {
  name: 'kv undelete',
  summary: 'Bring back deleted versions of a secret',
  arguments: [pathArgument],
  options: [['--versions <numbers>', 'these versions, separated by commas']],
  examples: ['keyferry kv undelete secret/my-app --versions 1'],
  async run({ client }, given) {
    const place = await versionedPlace(client, given);
    const versions = versionsOf(given);
    await client.call(kv2.undelete, place, { versions });
    return one({ undeleted: given.argument(0), versions });
  },
};

export const kvDestroy: Verb = {
  name: 'kv destroy',
  summary: 'Destroy versions of a secret for ever, or all of it',
  arguments: [pathArgument],
  options: [
    ['--versions <numbers>', 'these versions, separated by commas', { without: ['--all'] }],
    ['--all', 'the whole secret, with its history'],
    ['--plan', 'destroy nothing: show what becomes of the copies'],
    agreed,
  ],
  examples: [
    'keyferry kv destroy secret/my-app --versions 1 --yes',
    'keyferry kv destroy secret/my-app --versions 1 --plan',
    'keyferry kv destroy secret/my-app --all --plan',
    'keyferry kv destroy secret/my-app --all --yes',
  ],
  async run(context, given) {
    const { client, questions } = context;
    if (given.flag('plan'))
      return given.flag('all') ? planned(context, given, kv2.deleteAll) : plannedOf(context, given, kv2.destroy);
    const place = await versionedPlace(client, given);
    const isAll = given.flag('all');
    const versions = isAll ? await allVersions() : versionsOf(given);
    const counted = `${versions.length} ${versions.length === 1 ? 'version' : 'versions'} of ${given.argument(0)}`;
    await questions.agree(`Destroy ${counted} for ever?`, given.flag('yes'), given.verb);
    if (isAll) await client.call(kv2.deleteAll, place);
    else await client.call(kv2.destroy, place, { versions });
    return one({ destroyed: given.argument(0), versions });

    async function allVersions(): Promise<readonly number[]> {
      const found = memberOf((await client.call(kv2.metadata, place)).data, 'versions');
      return Object.keys(isObject(found) ? found : {}).map(Number);
    }
  },
};

/** What becomes of the copies of a secret when the current version or the whole secret is deleted. */
async function planned(
  context: Context,
  given: Given,
  deletion: typeof kv2.deleteLatest | typeof kv2.deleteAll,
): Promise<Rows> {
  const place = await versionedPlace(context.client, given);
  return planTable(context, (await context.client.call(deletion, place, { plan: true })).data);
}

/** What becomes of the copies of a secret when some versions end. */
async function plannedOf(
  context: Context,
  given: Given,
  ending: typeof kv2.deleteVersions | typeof kv2.destroy,
): Promise<Rows> {
  const versions = versionsOf(given);
  const place = await versionedPlace(context.client, given);
  return planTable(context, (await context.client.call(ending, place, { versions, plan: true })).data);
}

function planTable({ say }: Context, data: Value | undefined): Rows {
  const copies = memberOf(data, 'copies');
  const version = textOf(data, 'version');
  const action = `${textOf(data, 'action')}${version === '' ? '' : ` to version ${version}`}`;
  const rows = (Array.isArray(copies) ? copies : []).map((copy) => ({
    action,
    destination: `${textOf(copy, 'destination', 'type')}/${textOf(copy, 'destination', 'name')}`,
    external_names: textsOf(copy, 'external_names').join(', '),
    status: textOf(copy, 'status'),
    rule: textOf(copy, 'rule'),
  }));
  const hidden = Number(textOf(data, 'hidden'));
  if (hidden > 0) say(`${hidden} more at destinations that you may not read`);
  const columns = { action: 'action', destination: 'destination', external_names: 'names there', status: 'status' };
  return rowsOf(columns, rows, { rule: 'rule' });
}

function versionsOf(given: Given): readonly number[] {
  const text = given.text('versions') ?? '';
  if (/^\d{1,9}(?:,\d{1,9})*$/.test(text)) return text.split(',').map(Number);
  throw usage(
    text === '' ? '--versions says which, as in --versions 1,2' : `"${text}" is not a list of versions`,
    given.verb,
  );
}
