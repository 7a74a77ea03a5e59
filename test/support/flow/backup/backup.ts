import { runProgram } from '../processes.ts';

export interface CommandEnd {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the program behind `npm run backup` or `npm run restore`. */
export async function runCommand(
  name: 'backup' | 'restore',
  databaseUrl: string | undefined,
  ...args: readonly string[]
): Promise<CommandEnd> {
  const environment = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const { code, out, err } = await runProgram(name, { args, environment });
  return { code, out: out.join('\n'), err: err.join('\n') };
}
