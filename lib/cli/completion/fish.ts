import { type Following, outputFormats } from './words.ts';

/** A script that makes fish complete command lines of the program. It starts no process. */
export const fishScript = (all: readonly Following[]): string =>
  [
    'function __keyferry_command',
    "  string join ' ' -- (string match --invert -- '-*' (commandline -opc)[2..])",
    'end',
    'function __keyferry_after',
    '  set --local command (__keyferry_command)',
    '  test "$command" = "$argv"',
    'end',
    'function __keyferry_in',
    '  set --local command (__keyferry_command)',
    '  string match --quiet -- "$argv *" "$command "',
    'end',
    'complete -c keyferry -f',
    `complete -c keyferry -s o -l output -x -a '${outputFormats.join(' ')}'`,
    ...all.flatMap(linesOf),
    '',
  ].join('\n');

function linesOf({ command, names, flags }: Following): readonly string[] {
  const nextNames =
    names.length === 0 ? [] : [`complete -c keyferry -n '__keyferry_after ${command}' -a '${names.join(' ')}'`];
  if (names.length > 0) return nextNames;
  return [
    `complete -c keyferry -n '__keyferry_in ${command}' -F`,
    ...flags
      .filter((flag) => flag.startsWith('--') && flag !== '--output')
      .map((flag) => `complete -c keyferry -n '__keyferry_in ${command}' -l ${flag.slice(2)}`),
  ];
}
