import { readFile } from 'node:fs/promises';
import { system } from '#client/operations/system.ts';
import { memberOf, parseJson, textOf, textsOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { CommandFailure, usage } from '../../failure.ts';
import { one, rowsOf, text } from '../../output/result.ts';
import type { Described, Verb } from '../../verb.ts';

const nameArgument: Described = ['<name>', 'name of the policy'];

const list: Verb = {
  name: 'policies list',
  summary: 'List the policies',
  examples: ['keyferry policies list'],
  async run({ client }) {
    const names = textsOf((await client.call(system.listPolicies, {})).data, 'keys');
    return rowsOf(
      { name: 'name' },
      names.map((name) => ({ name })),
    );
  },
};

const get: Verb = {
  name: 'policies get',
  summary: 'Print the text of a policy',
  arguments: [nameArgument],
  examples: ['keyferry policies get default'],
  async run({ client }, given) {
    const policy = textOf((await client.call(system.readPolicy, { name: given.argument(0) })).data, 'policy');
    return text(policy.endsWith('\n') ? policy : `${policy}\n`, { name: given.argument(0), policy });
  },
};

const put: Verb = {
  name: 'policies put',
  summary: 'Create or replace a policy',
  arguments: [nameArgument, ['<file>', 'file with its text; - for standard input']],
  examples: ['keyferry policies put team-a team-a.hcl'],
  async run({ client, questions }, given) {
    const [name, file] = [given.argument(0), given.argument(1)];
    const policy = await textIn(file, questions, given.verb);
    await client.call(system.writePolicy, { name }, { policy });
    return one({ written: name });
  },
};

const test: Verb = {
  name: 'policies test',
  summary: 'Tell whether a token or a policy allows a request, and which rule decides',
  arguments: [
    ['<capability>', 'create, read, update, patch, delete or list'],
    ['<path>', 'path below /v1/'],
  ],
  options: [
    ['--accessor <accessor>', 'test the token with this accessor; default: your token'],
    ['--policy <file>', 'test only this policy, which need not be stored; - for standard input'],
    ['--parameters <json>', 'parameters of the request, as a JSON object'],
  ],
  examples: [
    'keyferry policies test read secret/data/app',
    'keyferry policies test read secret/data/app --policy app.hcl',
  ],
  async run({ client, questions }, given) {
    const file = given.text('policy');
    const fields = {
      capability: given.argument(0),
      path: given.argument(1),
      accessor: given.text('accessor'),
      parameters: parametersIn(given.text('parameters')),
      policy: file === undefined ? undefined : await textIn(file, questions, given.verb),
    };
    const { data } = await client.call(system.testPolicy, {}, fields);
    const policies = memberOf(data, 'rule', 'policies');
    return one({
      allowed: memberOf(data, 'allowed'),
      reason: textOf(data, 'reason'),
      rule: textOf(data, 'rule', 'path'),
      policies: Array.isArray(policies) ? policies.map(sourceOf).join(', ') : '',
    });
  },
};

/** A stored policy by its name, the one of a file by the line of the rule. */
const sourceOf = (policy: Value): string => textOf(policy, 'name') || `line ${textOf(policy, 'line')}`;

function parametersIn(text: string | undefined): Value | undefined {
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch {
    throw usage('the parameters are not JSON', 'policies test');
  }
}

const remove: Verb = {
  name: 'policies delete',
  summary: 'Delete a policy; tokens that have it lose what it grants',
  arguments: [nameArgument],
  options: [['-y, --yes', 'do not ask']],
  examples: ['keyferry policies delete team-a --yes'],
  async run({ client, questions }, given) {
    const name = given.argument(0);
    await questions.agree(`Delete the policy ${name}?`, given.flag('yes'), given.verb);
    await client.call(system.deletePolicy, { name });
    return one({ deleted: name });
  },
};

const textIn = (file: string, questions: Context['questions'], verb: string): Promise<string> =>
  file === '-' ? questions.readAll() : readFile(file, 'utf8').catch(refuse(file, verb));

const refuse =
  (file: string, verb: string) =>
  ({ code = 'unreadable' }: NodeJS.ErrnoException): never => {
    throw new CommandFailure('failed', `${file} cannot be read: ${code}`, `keyferry ${verb} --help`);
  };

export const policies: readonly Verb[] = [list, get, put, test, remove];
