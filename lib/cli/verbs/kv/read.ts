import { kv1, kv2 } from '#client/operations/kv.ts';
import { isObject, memberOf, printJson, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { CommandFailure, usage } from '../../failure.ts';
import { one, rowsOf, text } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';
import { placeOf, secretPlaceOf, versionedPlace } from './place.ts';
import { present, presentIn } from './present.ts';

const versionMax = 1_000_000_000;

export const kvGet: Verb = {
  name: 'kv get',
  summary: 'Read a secret, or one value of it',
  arguments: [['<path>', 'the secret, with its mount: secret/my-app']],
  options: [
    ['-f, --field <key>', 'print only this value, as it is'],
    ['--version <number>', 'an older version'],
  ],
  examples: ['keyferry kv get secret/my-app', 'keyferry kv get secret/my-app --field password > password'],
  async run({ client, host }, given) {
    const place = await secretPlaceOf(client, given);
    if (place.version === 1 && given.text('version') !== undefined)
      throw usage(`${place.mount}/ is a KV mount of version 1, which has no versions: leave --version out`, given.verb);
    const version = given.count('version', 0, { min: 1, max: versionMax });
    const read =
      place.version === 1
        ? client.call(kv1.read, place)
        : client.call(kv2.read, place, version === 0 ? {} : { version });
    const reply = await present(client, place, read);
    const data = place.version === 1 ? reply.data : memberOf(reply.data, 'data');
    const field = given.text('field');
    if (field === undefined) return one(data ?? null);
    const value = memberOf(data, field);
    if (value === undefined)
      throw new CommandFailure('failed', `the secret has no key "${field}"`, `keyferry kv get ${given.argument(0)}`);
    const plain = typeof value === 'string' ? value : printJson(value);
    return text(host.output.isTTY === true ? `${plain}\n` : plain, value);
  },
};

export const kvList: Verb = {
  name: 'kv list',
  summary: 'List the secrets of a mount or folder',
  arguments: [['<path>', 'the mount or folder: secret/team-a']],
  examples: ['keyferry kv list secret', 'keyferry kv list secret/team-a -o ndjson'],
  async run({ client }, given) {
    const place = await placeOf(client, given.argument(0));
    const listing = place.version === 1 ? client.call(kv1.list, place) : client.call(kv2.list, place);
    const reply = await presentIn(place, listing);
    return rowsOf(
      { key: 'key' },
      textsOf(reply.data, 'keys').map((key) => ({ key })),
    );
  },
};

export const kvHistory: Verb = {
  name: 'kv history',
  summary: 'List the versions of a secret',
  arguments: [['<path>', 'the secret, with its mount']],
  examples: ['keyferry kv history secret/my-app'],
  async run({ client }, given) {
    const place = await versionedPlace(client, given);
    const { data } = await present(client, place, client.call(kv2.metadata, place));
    const versions = memberOf(data, 'versions');
    const rows = Object.entries(isObject(versions) ? versions : {})
      .map(([number, version]) => ({ version: Number(number), ...rowOf(version) }))
      .sort((a, b) => a.version - b.version);
    const columns = { version: 'version', state: 'state', created_time: 'created', by: 'by' };
    return rowsOf(columns, rows, { deletion_time: 'deleted' });
  },
};

function rowOf(version: Value | undefined) {
  const deleted = textOf(version, 'deletion_time');
  const isDestroyed = memberOf(version, 'destroyed') === true;
  return {
    // A time in the future is when the version will be deleted.
    state: isDestroyed ? 'destroyed' : deleted !== '' && Date.parse(deleted) <= Date.now() ? 'deleted' : 'there',
    created_time: textOf(version, 'created_time'),
    by: textOf(version, 'created_by', 'actor'),
    deletion_time: deleted,
  };
}
