import { Command } from 'commander';
import { groups } from './catalogue.ts';
import type { Host } from './host.ts';
import type { Flags } from './settings/settings.ts';
import { commonOptions, Given, type Group, type Verb } from './verb.ts';

export type Perform = (verb: Verb, given: Given, flags: Flags) => Promise<void>;

/** The program with the verbs of the group that the command line names; the others are only listed, and not loaded. */
export async function buildProgram(host: Host, perform: Perform): Promise<Command> {
  const program = commandFor(host, new Command('keyferry'))
    .description('The command line of Keyferry: secrets, syncs and workspaces.')
    .version(host.version, '-V, --version', 'show the version')
    // Else the --version of `kv get` would be that of the program.
    .enablePositionalOptions()
    .usage('<command> [options]')
    .addHelpText('after', '\nkeyferry <command> --help has the options and an example of each command.\n');
  const wanted = host.argv.filter((word) => !word.startsWith('-'));
  for (const group of groupsFor(host.argv)) {
    const command = commandFor(host, program.command(group.name)).description(group.summary);
    if (wanted.includes(group.name)) await addVerbs(host, command, group, perform);
  }
  return program;
}

/** A command line that begins with a group needs no other; any other shows them all, or the one that comes closest to it. */
function groupsFor([first]: readonly string[]): readonly Group[] {
  const named = groups.filter(({ name }) => name === first);
  return named.length === 0 ? groups : named;
}

/** Problems are reported by an error instead of an end of the process, and on standard error. */
function commandFor(host: Host, command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.output.write(text),
      writeErr: (text) => host.errors.write(text),
      outputError: (text, write) =>
        write(`keyferry: ${text.replace(/^error: /, '')}  next: ${fullName(command)} --help\n`),
      getOutHelpWidth: () => host.output.columns ?? 100,
      getErrHelpWidth: () => host.errors.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false);
}

const fullName = (command: Command): string =>
  command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;

async function addVerbs(host: Host, command: Command, group: Group, perform: Perform): Promise<void> {
  for (const verb of await group.load()) {
    const rest = verb.name.slice(group.name.length).trim();
    addVerb(rest === '' ? command : childOf(host, command, rest), verb, perform);
  }
}

/** `workspaces state pull` is a command of the command `state` of the group. */
function childOf(host: Host, parent: Command, path: string): Command {
  const [name = '', ...rest] = path.split(' ');
  const child = parent.commands.find((one) => one.name() === name) ?? commandFor(host, parent.command(name));
  return rest.length === 0 ? child : childOf(host, child, rest.join(' '));
}

function addVerb(command: Command, verb: Verb, perform: Perform): void {
  command.description(verb.summary);
  for (const [form, help] of verb.arguments ?? []) command.argument(form, help);
  for (const [flags, help] of [...(verb.options ?? []), ...commonOptions]) command.option(flags, help);
  command.addHelpText(
    'after',
    `\nExamples:\n${verb.examples.map((line) => `  ${line.replaceAll('\n', '\n  ')}`).join('\n')}\n`,
  );
  command.action(async () => {
    const options = command.opts<Record<string, unknown>>();
    const { address, namespace, output } = options as Flags;
    await perform(verb, new Given(verb.name, command.processedArgs.flat().filter(isText), options), {
      address,
      namespace,
      output,
    });
  });
}

const isText = (value: unknown): value is string => typeof value === 'string';
