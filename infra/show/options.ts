import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The options of a command line. An unknown option is reported in one line, and the program exits with 2. */
export function optionsOf<const Known extends Options>(program: string, known: Known) {
  try {
    return parseArgs({ options: known }).values;
  } catch (error) {
    const [problem = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    const names = Object.keys(known).map((name) => `--${name}`);
    const there =
      names.length === 0 ? 'it takes none: its settings come from the environment' : `there are ${names.join(', ')}`;
    process.stderr.write(`${program}: ${problem}; ${there}\n`);
    process.exit(2);
  }
}
