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
  /** The browser of the user. */
  readonly openBrowser?: (address: string) => Promise<void>;
  /** Gets what is written to standard error, as it comes. */
  readonly onError?: (text: string) => void;
  /** Aborts as when the user interrupts the program. */
  readonly signal?: AbortSignal;
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
  const { openBrowser = async () => {}, onError = () => {}, signal = new AbortController().signal } = options;
  const code = await run({
    argv,
    environment: {
      ...(address === undefined ? {} : { KEYFERRY_ADDR: address }),
      ...(token === undefined ? {} : { KEYFERRY_TOKEN: token }),
      ...environment,
    },
    input: Readable.from(input === '' ? [] : [input]),
    output: { ...sink(output), isTTY: isTerminal },
    errors: {
      write(part) {
        errors.push(part.toString());
        onError(part.toString());
      },
    },
    home,
    version: '0.0.0',
    signal,
    openBrowser,
    runAgent: async () => {},
  });
  return { code, output: output.join(''), errors: errors.join('') };
}
