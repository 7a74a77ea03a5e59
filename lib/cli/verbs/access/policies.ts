import { readFile } from 'node:fs/promises';
import { system } from '#client/operations/system.ts';
import { textOf, textsOf } from '#client/wire/json.ts';
import { CommandFailure } from '../../failure.ts';
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
    return text(policy.endsWith('\n') ? policy : `${policy}\n`);
  },
};

const put: Verb = {
  name: 'policies put',
  summary: 'Create or replace a policy',
  arguments: [nameArgument, ['<file>', 'file with its text; - for standard input']],
  examples: ['keyferry policies put team-a team-a.hcl'],
  async run({ client, questions }, given) {
    const [name, file] = [given.argument(0), given.argument(1)];
    const policy = file === '-' ? await questions.readAll() : await readFile(file, 'utf8').catch(refuse(file));
    await client.call(system.writePolicy, { name }, { policy });
    return one({ written: name });
  },
};

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

const refuse =
  (file: string) =>
  ({ code = 'unreadable' }: NodeJS.ErrnoException): never => {
    throw new CommandFailure('failed', `${file} cannot be read: ${code}`, 'keyferry policies put --help');
  };

export const policies: readonly Verb[] = [list, get, put, remove];
