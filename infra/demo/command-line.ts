import { Readable } from 'node:stream';
import { run } from '#cli/run.ts';
import type { Terminal } from '../show/terminal.ts';
import type { Stage } from './stage.ts';

/**
 * Runs a line of the command line `keyferry` as the root token and shows it with its output.
 * @throws Error when it ends with another exit code
 */
export async function runLine(stage: Stage, terminal: Terminal, argv: readonly string[], expected = 0): Promise<void> {
  const parts: string[] = [];
  const sink = { write: (part: string | Uint8Array) => parts.push(Buffer.from(part).toString()) };
  terminal.line(`  ${terminal.styled('bold', `$ keyferry ${argv.map(quoted).join(' ')}`)}`);
  const code = await run({
    argv,
    environment: { KEYFERRY_ADDR: stage.address, KEYFERRY_TOKEN: stage.rootToken },
    input: Readable.from([]),
    output: sink,
    errors: sink,
    home: '/nonexistent',
    version: '',
    signal: AbortSignal.timeout(60_000),
    openBrowser: async () => {},
    runAgent: () => Promise.reject(new Error('the demo starts its agent itself')),
  });
  for (const line of parts.join('').trimEnd().split('\n')) terminal.line(`  ${line}`);
  if (code !== expected) throw new Error(`keyferry ${argv[0]} ended with ${code}, not with ${expected}`);
}

const quoted = (word: string): string => (/^[\w/.=:-]+$/.test(word) ? word : `'${word}'`);
