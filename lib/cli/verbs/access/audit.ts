import { system } from '#client/operations/system.ts';
import { isObject, textOf } from '#client/wire/json.ts';
import { Secret } from '#core/secret.ts';
import { usage } from '../../failure.ts';
import { one, rowsOf, text } from '../../output/result.ts';
import type { Described, Verb } from '../../verb.ts';

const pathArgument: Described = ['<path>', 'path of the audit device'];

const list: Verb = {
  name: 'audit list',
  summary: 'List the audit devices',
  examples: ['keyferry audit list'],
  async run({ client }) {
    const { data } = await client.call(system.listAudit, {});
    const rows = Object.entries(isObject(data) ? data : {}).map(([path, device]) => ({
      path,
      type: textOf(device, 'type'),
      description: textOf(device, 'description'),
      options: isObject(device) ? (device['options'] ?? null) : null,
    }));
    return rowsOf({ path: 'path', type: 'type', description: 'description' }, rows, { options: 'options' });
  },
};

const enable: Verb = {
  name: 'audit enable',
  summary: 'Enable an audit device',
  arguments: [
    pathArgument,
    ['<type>', 'file, socket or http'],
    ['[options...]', 'options of the device, as name=value'],
  ],
  options: [['--description <text>', 'what it is for']],
  examples: ['keyferry audit enable log file file_path="$PWD/audit.log"'],
  async run({ client }, given) {
    const [path = '', type = '', ...words] = given.arguments;
    const options = Object.fromEntries(words.map((word) => pairOf(word)));
    await client.call(system.enableAudit, { path }, { type, options, description: given.text('description') });
    return one({ enabled: path });
  },
};

const disable: Verb = {
  name: 'audit disable',
  summary: 'Disable an audit device',
  arguments: [pathArgument],
  options: [['-y, --yes', 'do not ask']],
  examples: ['keyferry audit disable log --yes'],
  async run({ client, questions }, given) {
    const path = given.argument(0);
    await questions.agree(`Disable the audit device ${path}?`, given.flag('yes'), given.verb);
    await client.call(system.disableAudit, { path });
    return one({ disabled: path });
  },
};

const hash: Verb = {
  name: 'audit hash',
  summary: 'Show the form in which a value appears in the lines of a device',
  arguments: [pathArgument],
  examples: ["printf 's3cret' | keyferry audit hash log"],
  async run({ client, questions, conceal }, given) {
    const input = new Secret(questions.canAsk ? await questions.askHidden('Value: ') : await questions.readAll());
    conceal(input);
    const { data } = await client.call(system.hashAudit, { path: given.argument(0) }, { input: input.reveal() });
    const hashed = textOf(data, 'hash');
    return text(`${hashed}\n`, { hash: hashed });
  },
};

function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw usage(`"${word}" is not an option of the form name=value`, 'audit enable');
}

export const audit: readonly Verb[] = [list, enable, disable, hash];
