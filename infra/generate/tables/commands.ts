import { groups } from '#cli/catalogue.ts';
import { exitCodes } from '#cli/failure.ts';
import { variables } from '#cli/settings/settings.ts';
import type { Verb } from '#cli/verb.ts';

/** Every command of the command line, in the order of its help. */
export const allVerbs: readonly Verb[] = (await Promise.all(groups.map((group) => group.load()))).flat();

const escaped = (text: string): string => text.replaceAll('|', '\\|');

export const commandTable = (): string =>
  [
    '| command | what it does |',
    '| --- | --- |',
    ...allVerbs.map((verb) => `| \`${escaped(usageOf(verb))}\` | ${verb.summary} |`),
  ].join('\n');

const usageOf = ({ name, arguments: given = [] }: Verb): string =>
  ['keyferry', name, ...given.map(([form]) => form)].join(' ');

export const variableTable = (): string =>
  [
    '| variable | or | meaning |',
    '| --- | --- | --- |',
    ...Object.entries(variables).map(([name, meaning]) => `| \`KEYFERRY_${name}\` | \`VAULT_${name}\` | ${meaning} |`),
  ].join('\n');

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done',
  failed: 'failed',
  usage: 'the command line is wrong',
  differences: 'differences were found',
  token: 'the token is missing, has expired, or lacks the right',
  sealed: 'the server is sealed or not initialised',
  someFailed: 'some of several failed',
  timedOut: 'timed out',
  interrupted: 'interrupted',
};

export const exitTable = (): string =>
  [
    '| exit code | meaning |',
    '| --- | --- |',
    ...Object.entries(exitCodes).map(([exit, code]) => `| ${code} | ${meanings[exit as keyof typeof exitCodes]} |`),
  ].join('\n');
