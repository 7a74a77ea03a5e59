import { readFile } from 'node:fs/promises';
import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { isObject, memberOf, type ObjectValue, parseJson, textsOf } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { CommandFailure, usage } from '../../failure.ts';
import { one, rowsOf } from '../../output/result.ts';
import type { Described, Given, Verb } from '../../verb.ts';
import { countsAt, totalOf } from '../sync/at-destination.ts';
import { type Copy, copiesAt, copyTable, noneThere } from '../sync/copies.ts';
import { type Target, targetOf } from '../sync/target.ts';
import { check } from './check.ts';
import { inLines, numbersByDestination } from './numbers.ts';

const targetArgument: Described = ['<type/name>', 'the destination, such as cloud-a-sm/prod'];
const fieldsArgument: Described = ['<file>', 'JSON file with its fields; - for standard input'];

const list: Verb = {
  name: 'destinations list',
  summary: 'List the destinations',
  examples: ['keyferry destinations list'],
  async run({ client }) {
    const [{ data }, numbers] = await Promise.all([
      client.call(sync.listDestinations, {}).catch(noneThere),
      numbersByDestination(client),
    ]);
    const byType = memberOf(data, 'key_info');
    const rows = Object.keys(isObject(byType) ? byType : {}).flatMap((key) =>
      textsOf(byType, key).map((name) => {
        const type = key.replace(/\/$/, '');
        const found = numbers.get(`${type}/${name}`);
        return { type, name, syncs: memberOf(found, 'total') ?? '', drifted: memberOf(found, 'drifted') ?? '' };
      }),
    );
    return rowsOf({ type: 'type', name: 'name', syncs: 'syncs', drifted: 'drifted' }, rows);
  },
};

const get: Verb = {
  name: 'destinations get',
  summary: 'Show a destination, with its credentials masked',
  arguments: [targetArgument],
  options: [['--copies', 'show the secrets that are copied to it instead']],
  examples: ['keyferry destinations get cloud-a-sm/prod', 'keyferry destinations get cloud-a-sm/prod --copies -o wide'],
  async run({ client, settings }, given) {
    const target = targetOf(given.argument(0), given.verb);
    if (given.flag('copies')) {
      const copies: Copy[] = [];
      for await (const page of copiesAt(client, target)) copies.push(...page);
      return copyTable(copies);
    }
    const stored = (await client.call(sync.readDestination, target)).data ?? null;
    return one(settings.format === 'table' || settings.format === 'wide' ? inLines(stored) : stored);
  },
};

const create: Verb = {
  name: 'destinations create',
  summary: 'Create a destination, or replace all its fields; without a file it asks for them',
  arguments: [targetArgument, ['[file]', 'JSON file with its fields; - for standard input']],
  options: [['--all-fields', 'ask also for addresses, network access and pauses', { without: ['[file]'] }]],
  examples: ['keyferry destinations create cloud-a-sm/prod destination.json'],
  async run(context, given) {
    const target = targetOf(given.argument(0), given.verb);
    if (given.arguments[1] !== undefined) return written(context, target, await fieldsOf(context, given));
    if (!context.questions.canAsk)
      throw usage('without a terminal, name a file with the fields, or - for standard input', given.verb);
    const { askForm } = await import('./form/form.ts');
    const form = await askForm(context, target.type, given.flag('allFields'));
    for (;;) {
      const result = await written(context, target, form.answers).catch((error: unknown) => error as Error);
      if (!(result instanceof Error)) return result;
      const problems = result instanceof CallFailure ? result.problems : [];
      for (const { field, message } of problems) context.say(`${field}: ${message}`);
      if (!(await form.again(problems.map(({ field }) => field)))) throw result;
    }
  },
};

const written = async ({ client }: Context, target: Target, fields: ObjectValue) =>
  one((await client.call(sync.writeDestination, target, fields)).data ?? null);

const edit: Verb = {
  name: 'destinations edit',
  summary: 'Change the given fields of a destination; null resets a field',
  arguments: [targetArgument, fieldsArgument],
  examples: [`printf '{"custom_tags": {"team": "a"}}' | keyferry destinations edit cloud-a-sm/prod -`],
  async run(context, given) {
    const target = targetOf(given.argument(0), given.verb);
    return one((await context.client.call(sync.patchDestination, target, await fieldsOf(context, given))).data ?? null);
  },
};

const remove: Verb = {
  name: 'destinations delete',
  summary: 'Delete a destination',
  arguments: [targetArgument],
  options: [
    ['--purge', 'remove all its copies first', { without: ['--force'] }],
    ['--force', 'leave its copies where they are, unmanaged'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: ['keyferry destinations delete cloud-a-sm/prod --purge --yes'],
  async run({ client, questions }, given) {
    const target = targetOf(given.argument(0), given.verb);
    const [purge, force] = [given.flag('purge'), given.flag('force')];
    const syncs = totalOf(await countsAt(client, target));
    const fate = purge ? 'their copies are removed' : force ? 'their copies stay, unmanaged' : 'there must be none';
    const question = `Delete ${given.argument(0)}? It has ${syncs} syncs: ${fate}.`;
    await questions.agree(question, given.flag('yes'), given.verb);
    const fields = { purge: purge || undefined, force_delete: force || undefined };
    await client.call(sync.deleteDestination, target, fields);
    return one({ deleted: given.argument(0), syncs });
  },
};

/** The errors of the parser show parts of the text, which has credentials. */
async function fieldsOf({ questions }: Context, given: Given): Promise<ObjectValue> {
  const file = given.argument(1);
  const text = file === '-' ? await questions.readAll() : await readFile(file, 'utf8').catch(refuse(file, given.verb));
  let fields: unknown;
  try {
    fields = parseJson(text);
  } catch {
    throw usage('the fields are not JSON', given.verb);
  }
  if (isObject(fields as ObjectValue)) return fields as ObjectValue;
  throw usage('the fields are not a JSON object', given.verb);
}

const refuse =
  (file: string, verb: string) =>
  ({ code = 'unreadable' }: NodeJS.ErrnoException): never => {
    throw new CommandFailure('failed', `${file} cannot be read: ${code}`, `keyferry ${verb} --help`);
  };

export const destinations: readonly Verb[] = [list, get, create, edit, remove, check];
