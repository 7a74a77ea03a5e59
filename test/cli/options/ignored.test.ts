import { expect, test } from 'vitest';
import { flagIn, optionName, refuseIgnored } from '#cli/command/combinations.ts';
import { type Described, Given, type Verb } from '#cli/verb.ts';
import { allVerbs } from '#infra/generate/tables/commands.ts';
import { runLine } from '../../support/cli/line.ts';
import { type Options, optionOf, optionsRead, wordsOf } from './walk.ts';

/** Permissions and previews: whoever gives one of these loses nothing where it changes nothing. */
const harmless = new Set(['--yes', '--inline', '--dry-run', '--plan']);

/** Of a login the method decides, and it waits for a browser. */
const walked = allVerbs.filter(({ name }) => name !== 'login');

/** Whether the command takes a line instead of refusing it. */
function isTaken(verb: Verb, words: readonly string[], options: Options): boolean {
  try {
    refuseIgnored(verb, new Given(verb.name, words, options));
    return true;
  } catch {
    return false;
  }
}

/** Every line of one or two options that the command does not refuse, with what these need beside them. */
function* linesOf(verb: Verb) {
  const options = verb.options ?? [];
  const companions = ({ 2: { with: partners = [] } = {} }: Described): Options =>
    Object.assign({}, ...options.filter(([form]) => partners.includes(flagIn(form))).map(optionOf));
  for (const words of wordsOf(verb))
    for (const [index, one] of options.entries())
      for (const other of options.slice(index)) {
        const given = { ...companions(one), ...companions(other), ...optionOf(one), ...optionOf(other) };
        if (isTaken(verb, words, given)) yield { words, given };
      }
}

/** What stops a command before it looks at its other options. */
const stops = new Set(['dryRun', 'plan']);

test.each(walked.map((verb) => [verb.name, verb] as const))(
  '%s looks at every option that it takes',
  async (_name, verb) => {
    const ignored: string[] = [];
    for (const { words, given } of linesOf(verb)) {
      if (Object.keys(given).some((name) => stops.has(name))) continue;
      const read = await optionsRead(verb, words, given);
      const flags = (verb.options ?? []).map(([form]) => flagIn(form)).filter((flag) => !harmless.has(flag));
      for (const flag of flags)
        if (read !== undefined && optionName(flag) in given && !read.has(optionName(flag)))
          ignored.push(`${words.join(' ')} ${Object.keys(given).join(' ')}: ${flag}`);
    }
    expect(ignored).toEqual([]);
  },
);

test('what an option goes with is an option or an argument of the command', () => {
  const unknown = allVerbs.flatMap(({ name, options = [], arguments: given = [] }) => {
    const names = new Set([...options.map(([form]) => flagIn(form)), ...given.map(([form]) => form)]);
    return options
      .flatMap(([, , company]) => [...(company?.with ?? []), ...(company?.without ?? [])])
      .filter((other) => !names.has(other))
      .map((other) => `${name}: ${other}`);
  });
  expect(unknown).toEqual([]);
});

test.each([
  [['events', '--for', '1s'], '--for needs --follow: add it, or leave --for out'],
  [['plan', 'cloud-a-sm/a', '--rate', '1'], '--rate needs --apply'],
  [['plan', 'cloud-a-sm/a', '--yes'], '--yes needs --apply'],
  [['plan', 'cloud-a-sm/a', '--type', 'cloud-a-sm'], '--type needs --all'],
  [['plan', 'cloud-a-sm/a', '--apply', '--unchanged'], 'either --unchanged or --apply, not both'],
  [['drift', 'cloud-a-sm/a', '--yes'], '--yes needs --repair'],
  [['notifications', 'deliveries', 'a', 'b', '--state', 'dead'], 'either --state or <id>, not both'],
  [['notifications', 'redeliver', 'a', 'b', '--yes'], '--yes needs --dead'],
  [['destinations', 'create', 'cloud-a-sm/a', 'file', '--all-fields'], 'either --all-fields or <file>'],
  [['replay', '--all', '--type', 'cloud-a-sm'], 'either --all or --type, not both'],
  [['replay', '--all', '--timeout', '1s'], '--timeout needs --wait'],
  [['records', 'list', '--times', '2'], '--times needs --watch'],
  [['sync', 'secret/a', '--to', 'cloud-a-sm/a', '--timeout', '1s'], '--timeout needs --wait'],
  [['workspaces', 'list', '--namespace', 'team'], 'workspaces belong to no namespace'],
  [['api', 'GET', '/api/v2/organizations', '--namespace', 'team'], 'workspaces belong to no namespace'],
  [['api', 'GET', 'sys/mounts', '--data', '{}'], 'a GET has no body'],
  [['login', '--username', 'ada'], '--username is an option of userpass, and the method is token'],
  [['login', '--method', 'userpass', '--role', 'a'], '--role is an option of jwt, orchestrator and oidc'],
  [['login', '--method', 'jwt', '--no-browser'], '--no-browser is an option of oidc'],
  [['login', '--mount', 'people'], '--mount is an option of all methods but token'],
])('%j is refused before anything is sent', async (argv, text) => {
  const { code, output, errors } = await runLine(argv, { address: 'http://127.0.0.1:9', token: 'hvs.x' });
  expect([code, output]).toEqual([2, '']);
  expect(errors).toContain(text);
  expect(errors).toMatch(/\n {2}next: keyferry \S.* --help\n$/);
});
