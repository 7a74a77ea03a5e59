import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of a `PATH`. One that depends on where a process works is left out: a run could put its own programs there. */
export const foldersOf = ({ PATH = '' }: Environment): readonly string[] => PATH.split(delimiter).filter(isAbsolute);

/** The absolute name of a program on the `PATH` of the agent; undefined when there is none. */
export async function programOnPath(name: string, environment: Environment): Promise<string | undefined> {
  for (const folder of foldersOf(environment)) {
    const found = await runnable(join(folder, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

export const runnable = (program: string): Promise<string | undefined> =>
  access(program, constants.X_OK).then(
    () => program,
    () => undefined,
  );
