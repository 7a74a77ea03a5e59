import { formats } from '../output/formats.ts';
import { commonOptions, type Group, type Verb } from '../verb.ts';

/** What may follow the words of a command, from the first to the last: `kv` is followed by the names of its commands. */
export interface Following {
  /** `kv get`; empty at the start of the line. */
  readonly command: string;
  readonly names: readonly string[];
  readonly flags: readonly string[];
}

/** The formats of `-o`. */
export const outputFormats: readonly string[] = formats;

/** All commands and what follows them, the longer ones first. */
export async function following(groups: readonly Group[]): Promise<readonly Following[]> {
  const verbs = (await Promise.all(groups.map((group) => group.load()))).flat();
  const commands = new Set(verbs.flatMap(({ name }) => beginningsOf(name)));
  return [...commands]
    .map((command) => ({ command, names: namesAfter(command, verbs), flags: flagsOf(command, verbs) }))
    .toSorted((a, b) => b.command.length - a.command.length);
}

/** `workspaces state pull`: nothing, `workspaces`, `workspaces state`, and the whole. */
function beginningsOf(name: string): readonly string[] {
  const words = name.split(' ');
  return ['', ...words.map((_word, index) => words.slice(0, index + 1).join(' '))];
}

const namesAfter = (command: string, verbs: readonly Verb[]): readonly string[] => [
  ...new Set(
    verbs.flatMap(({ name }) => {
      const start = command === '' ? '' : `${command} `;
      const [next = ''] = name.startsWith(start) ? name.slice(start.length).split(' ') : [];
      return next === '' || name === command ? [] : [next];
    }),
  ),
];

const flagsOf = (command: string, verbs: readonly Verb[]): readonly string[] => [
  ...[...(verbs.find(({ name }) => name === command)?.options ?? []), ...commonOptions].flatMap(([flags]) =>
    flags.split(', ').map((flag) => flag.split(' ')[0] ?? ''),
  ),
  '--help',
];
