import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from './trials/trial.ts';

const startMsMax = 60_000;
const pollMs = 200;
const endMsMax = 10_000;

export interface Server {
  readonly port: number;
  /** With plain HTTP. */
  readonly url: string;
  close(): Promise<void>;
}

/** The arguments of a program with two free ports of 127.0.0.1: one for our requests, the other for its second service. */
export type ArgsFor = (port: number, other: number) => readonly string[];

/** Starts a program and waits until it answers at its port, by default over HTTP. */
export async function startServer(
  program: string,
  argsFor: ArgsFor,
  answers: (port: number) => Promise<boolean> = answersHttp,
): Promise<Server> {
  const [port, other] = await freePorts();
  const child = spawn(program, argsFor(port, other), { stdio: 'ignore' });
  const failed = once(child, 'error').then(([error]) => Promise.reject(new Unavailable(`${program}: ${error}`)));
  const close = () => end(child);
  try {
    await Promise.race([failed, untilItAnswers(() => answers(port), child)]);
  } catch (error) {
    await close();
    throw error;
  }
  return { port, url: `http://127.0.0.1:${port}`, close };
}

async function untilItAnswers(answers: () => Promise<boolean>, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startMsMax;
  while (Date.now() < deadline) {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) throw new Unavailable(`${child.spawnfile} ended with ${ended} at its start`);
    if (await answers().catch(() => false)) return;
    await sleep(pollMs);
  }
  throw new Unavailable(`${child.spawnfile} has not answered within ${startMsMax} ms`);
}

async function answersHttp(port: number): Promise<boolean> {
  await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(pollMs * 10) });
  return true;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = await Promise.race([ended.then(() => false), sleep(endMsMax, true, { ref: false })]);
  if (late) child.kill('SIGKILL');
  await ended;
}

/** Both ports are held before one is released, so that they differ. */
async function freePorts(): Promise<readonly [number, number]> {
  const [one, other] = await Promise.all([hold(), hold()]);
  await Promise.all([one.release(), other.release()]);
  return [one.port, other.port];
}

async function hold() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, release: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}
