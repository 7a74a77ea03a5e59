import { Readable } from 'node:stream';
import { run } from '#cli/run.ts';

export interface LineOptions {
  readonly address?: string;
  readonly token?: string;
  readonly home?: string;
  /** Standard input, which is no terminal. */
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard output is a terminal. */
  readonly isTerminal?: boolean;
}

export interface Printed {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command line in this process, by default without a terminal. */
export async function runLine(argv: readonly string[], options: LineOptions = {}): Promise<Printed> {
  const [output, errors]: [string[], string[]] = [[], []];
  const sink = (parts: string[]) => ({
    write: (part: string | Uint8Array) => parts.push(Buffer.from(part).toString()),
  });
  const { address, token, home = '/nonexistent', input = '', environment = {}, isTerminal = false } = options;
  const code = await run({
    argv,
    environment: {
      ...(address === undefined ? {} : { KEYFERRY_ADDR: address }),
      ...(token === undefined ? {} : { KEYFERRY_TOKEN: token }),
      ...environment,
    },
    input: Readable.from(input === '' ? [] : [input]),
    output: { ...sink(output), isTTY: isTerminal },
    errors: sink(errors),
    home,
    version: '0.0.0',
    signal: new AbortController().signal,
    runAgent: async () => {},
  });
  return { code, output: output.join(''), errors: errors.join('') };
}
