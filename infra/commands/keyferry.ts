import { homedir } from 'node:os';
import type { Host } from '#cli/host.ts';
import { run } from '#cli/run.ts';
import packageFile from '../../package.json' with { type: 'json' };

/** `npm run keyferry -- …`, and the program of the package `keyferry`. */
const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort());
process.once('SIGTERM', () => interruption.abort());

/** The streams that are in use: each costs a part of the start. */
const opened = new Set<NodeJS.WriteStream>();

function open(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (opened.has(stream)) return stream;
  opened.add(stream);
  // A reader such as `head` may close the pipe early.
  return stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

const host: Host = {
  argv: process.argv.slice(2),
  environment: process.env,
  get input() {
    return process.stdin;
  },
  get output() {
    return open(process.stdout);
  },
  get errors() {
    return open(process.stderr);
  },
  home: homedir(),
  version: packageFile.version,
  signal: interruption.signal,
  openBrowser: async (address) => (await import('../process/open-browser.ts')).openBrowser(address),
  // A second bundle, which the other commands need not load.
  runAgent: async (options) => (await import('../process/agent.ts')).runAgentProcess(options),
};

// The bundle is CommonJS, which starts faster and cannot wait at the top.
void run(host).then(async (code) => {
  // An open standard input or a kept connection must not hold the program; what was printed must still go out.
  await Promise.all([...opened].map((stream) => new Promise((done) => stream.write('', done))));
  process.exit(code);
});
