import { kv1, kv2 } from '#client/operations/kv.ts';
import { isObject, memberOf } from '#client/wire/json.ts';
import { usage } from '../../failure.ts';
import { one } from '../../output/result.ts';
import type { Described, Given, Verb } from '../../verb.ts';
import { placeOf, versionedPlace } from './place.ts';

const pathArgument: Described = ['<path>', 'the secret, with its mount: secret/my-app'];
const agreed: Described = ['-y, --yes', 'do not ask'];

export const kvDelete: Verb = {
  name: 'kv delete',
  summary: 'Delete the current version of a secret, or some; undelete brings them back',
  arguments: [pathArgument],
  options: [['--versions <numbers>', 'these versions, separated by commas']],
  examples: ['keyferry kv delete secret/my-app', 'keyferry kv delete secret/my-app --versions 1,2'],
  async run({ client }, given) {
    const place = await placeOf(client, given.argument(0));
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
    const place = await versionedPlace(client, given.argument(0));
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
    ['--versions <numbers>', 'these versions, separated by commas'],
    ['--all', 'the whole secret, with its history'],
    agreed,
  ],
  examples: ['keyferry kv destroy secret/my-app --versions 1 --yes', 'keyferry kv destroy secret/my-app --all --yes'],
  async run({ client, questions }, given) {
    const place = await versionedPlace(client, given.argument(0));
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

function versionsOf(given: Given): readonly number[] {
  const text = given.text('versions') ?? '';
  if (/^\d{1,9}(?:,\d{1,9})*$/.test(text)) return text.split(',').map(Number);
  throw usage(
    text === '' ? '--versions says which, as in --versions 1,2' : `"${text}" is not a list of versions`,
    given.verb,
  );
}
