import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from './trial.ts';

const startMsMax = 60_000;
const pollMs = 200;
const endMsMax = 10_000;

export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a program that serves HTTP at a free port of 127.0.0.1, and waits until it answers. */
export async function startServer(program: string, argsFor: (port: number) => readonly string[]): Promise<Server> {
  const port = await freePort();
  const child = spawn(program, argsFor(port), { stdio: 'ignore' });
  const failed = once(child, 'error').then(([error]) => Promise.reject(new Unavailable(`${program}: ${error}`)));
  const url = `http://127.0.0.1:${port}`;
  const close = () => end(child);
  try {
    await Promise.race([failed, untilItAnswers(url, child)]);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, close };
}

async function untilItAnswers(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startMsMax;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Unavailable(`${child.spawnfile} ended with ${child.exitCode} at its start`);
    const answer = await fetch(url, { signal: AbortSignal.timeout(pollMs * 10) }).catch(() => undefined);
    if (answer !== undefined) return;
    await sleep(pollMs);
  }
  throw new Unavailable(`${child.spawnfile} has not answered within ${startMsMax} ms`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = await Promise.race([ended.then(() => false), sleep(endMsMax, true, { ref: false })]);
  if (late) child.kill('SIGKILL');
  await ended;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
