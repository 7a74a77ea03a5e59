import { sync } from '#client/operations/sync.ts';
import { isObject, memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { usage } from '../../failure.ts';
import { one, type Rows, rowsOf } from '../../output/result.ts';
import type { Described, Given, Verb } from '../../verb.ts';
import { placeOf } from '../kv/place.ts';
import { noneThere } from './copies.ts';
import { untilTrue } from './until.ts';

const nameArgument: Described = ['<name>', 'name of the rule'];

const list: Verb = {
  name: 'rules list',
  summary: 'List the standing rules, which sync secrets as they are written',
  examples: ['keyferry rules list'],
  async run({ client }) {
    const { data } = await client.call(sync.listRules, {}).catch(noneThere);
    const byName = memberOf(data, 'key_info');
    const rows = Object.entries(isObject(byName) ? byName : {}).map(([name, rule]) => ({
      name,
      mount: textOf(rule, 'mount'),
      prefix: textOf(rule, 'prefix'),
      glob: textOf(rule, 'glob'),
      destinations: textsOf(rule, 'destinations').join(', '),
      state: textOf(rule, 'state'),
      reason: textOf(rule, 'reason'),
    }));
    const columns = { name: 'name', mount: 'mount', prefix: 'prefix', glob: 'glob', destinations: 'destinations' };
    return rowsOf({ ...columns, state: 'state' }, rows, { reason: 'reason' });
  },
};

const get: Verb = {
  name: 'rules get',
  summary: 'Show a standing rule, how far it is, and how its syncs stand',
  arguments: [nameArgument],
  examples: ['keyferry rules get databases'],
  run: async ({ client }, given) => one((await client.call(sync.readRule, { rule: given.argument(0) })).data ?? null),
};

const set: Verb = {
  name: 'rules set',
  summary: 'Store a standing rule: it syncs what it selects, now and as secrets are written',
  arguments: [nameArgument, ['<secrets>', 'the mount, and the beginning of the paths that it selects: secret/app/']],
  options: [
    ['--to <destinations>', 'where to: type/name, with commas between several'],
    ['--glob <glob>', 'only paths below the mount that match: * and ? within a segment, ** across'],
    ['--metadata <pairs>', 'only secrets with this custom metadata: team=a,stage=prod'],
    ['--granularity <granularity>', 'secret-path or secret-key, instead of that of the destinations'],
    ['--template <template>', 'name template, instead of that of the destinations'],
    ['--adopt', 'take over objects of the same name that the sync did not write'],
    ['--dry-run', 'only show what it would set and unset'],
    ['-y, --yes', 'do not ask'],
    ['--wait', 'wait until it has looked at all secrets'],
    ['--timeout <time>', 'how long --wait waits; default: 5m', { with: ['--wait'] }],
  ],
  examples: [
    'keyferry rules set databases secret/ --glob "*/db" --to cloud-a-sm/prod --dry-run',
    'keyferry rules set team-a secret/my- --metadata team=a --to cloud-a-sm/prod --yes --wait',
  ],
  async run(context, given) {
    const { client, questions } = context;
    const rule = given.argument(0);
    const { mount, path } = await placeOf(client, given.argument(1));
    const prefix = path === '' || given.argument(1).endsWith('/') ? `${path}/` : path;
    const fields = { mount, prefix, ...fieldsOf(given) };
    const { data: preview } = await client.call(sync.writeRule, { rule }, { ...fields, dry_run: true });
    if (given.flag('dryRun')) return changesOf(preview, context.say);
    await questions.agree(questionOf(rule, preview), given.flag('yes'), given.verb);
    const { data } = await client.call(sync.writeRule, { rule }, fields);
    if (!given.flag('wait')) return one(data ?? null);
    let stored: Value | undefined;
    await untilTrue(context, given, `keyferry rules get ${rule}`, async () => {
      stored = (await client.call(sync.readRule, { rule })).data;
      return memberOf(stored, 'progress', 'evaluating') !== true || textOf(stored, 'state') !== 'active';
    });
    return { ...one(stored ?? null), exit: textOf(stored, 'state') === 'active' ? 'done' : 'failed' };
  },
};

/** @throws CommandFailure */
function fieldsOf(given: Given) {
  const destinations = (given.text('to') ?? '').split(',').filter((one) => one !== '');
  if (destinations.length === 0) throw usage('--to says where, as in --to cloud-a-sm/prod', given.verb);
  return {
    destinations,
    glob: given.text('glob'),
    custom_metadata: pairsOf(given),
    granularity: given.text('granularity'),
    secret_name_template: given.text('template'),
    adopt: given.flag('adopt') || undefined,
  };
}

function pairsOf(given: Given): Readonly<Record<string, string>> | undefined {
  const pairs = given.text('metadata')?.split(',');
  return (
    pairs &&
    Object.fromEntries(
      pairs.map((pair) => {
        const at = pair.indexOf('=');
        if (at < 1) throw usage(`"${pair}" is not of the form key=value`, given.verb);
        return [pair.slice(0, at), pair.slice(at + 1)] as const;
      }),
    )
  );
}

/** What cannot be looked at within one request is not counted. */
function questionOf(rule: string, preview: Value | undefined): string {
  const atLeast = memberOf(preview, 'exact') === true ? '' : 'at least ';
  const set = `sets ${atLeast}${textOf(preview, 'would_set')} syncs`;
  return `Store the rule ${rule}, which ${set} and removes ${textOf(preview, 'would_unset')} now?`;
}

function changesOf(data: Value | undefined, say: (text: string) => void): Rows {
  const rows = (['set', 'unset'] as const).flatMap((change) => {
    const changes = memberOf(data, change);
    return (Array.isArray(changes) ? changes : []).map((entry) => ({
      change,
      secret: textOf(entry, 'secret_name'),
      destination: textOf(entry, 'destination'),
    }));
  });
  const counts = `would set ${textOf(data, 'would_set')} and unset ${textOf(data, 'would_unset')}`;
  say(`selects ${textOf(data, 'selected')} secrets, ${counts}; the first of each are shown`);
  return rowsOf({ change: 'change', secret: 'secret', destination: 'destination' }, rows);
}

const remove: Verb = {
  name: 'rules delete',
  summary: 'Delete a standing rule, and remove the copies that it made',
  arguments: [nameArgument],
  options: [
    ['--keep', 'keep the copies, as if they had been set by hand'],
    ['--dry-run', 'only show how many copies it made'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: ['keyferry rules delete databases --dry-run', 'keyferry rules delete databases --keep --yes'],
  async run({ client, questions }, given) {
    const rule = given.argument(0);
    const { data: stored } = await client.call(sync.readRule, { rule });
    const count = textOf(stored, 'counts', 'total');
    if (given.flag('dryRun')) return one({ rule, would_remove: given.flag('keep') ? 0 : Number(count) });
    const fate = given.flag('keep') ? `and keep its ${count} copies` : `and remove its ${count} copies`;
    await questions.agree(`Delete the rule ${rule} ${fate}?`, given.flag('yes'), given.verb);
    const { data } = await client.call(sync.deleteRule, { rule }, { keep: given.flag('keep') });
    return one(data ?? null);
  },
};

export const rules: readonly Verb[] = [list, get, set, remove];
