import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runAgent } from '#agent/agent.ts';
import { Pool } from '#agent/api/pool.ts';
import { send } from '#agent/api/send.ts';
import { readAllowed } from '#agent/run/apart/network/guard.ts';
import { silentLog } from '#core/log/log.ts';
import { Secret } from '#core/secret.ts';
import { times } from '../measure/rounds.ts';

export interface Where {
  readonly address: string;
  /** Of the pool. */
  readonly token: string;
}

/** Agents that work, or wait for work. */
export interface Agents {
  end(): Promise<void>;
}

const megabyte = 1_048_576;

/** Agents in this process that execute runs with the engine in a folder. */
export async function startAgents(
  { address, token }: Where,
  { count, engine, parent }: { readonly count: number; readonly engine: string; readonly parent: string },
): Promise<Agents> {
  const stopping = new AbortController();
  const agents: Promise<void>[] = [];
  for (let at = 0; at < count; at += 1) {
    const folder = join(parent, `agent-${at}`);
    await mkdir(folder, { recursive: true });
    const settings = {
      ...{ address, token: new Secret(token), name: `agent-${at}`, version: '1', folder },
      ...{ engines: undefined, healthFile: undefined, user: undefined, isolation: 'auto' as const, hiddenFiles: [] },
      ...{ network: 'guarded' as const, networkAllowed: readAllowed(undefined) },
      ...{
        runMsMax: 300_000,
        diskBytesMax: 256 * megabyte,
        memoryBytesMax: 4_096 * megabyte,
        processesMax: 4_096,
        graceMs: 2_000,
      },
      environment: { PATH: `${engine}:/usr/bin:/bin` },
    };
    const ready = Promise.withResolvers<void>();
    const parts = { settings, log: silentLog, stopping: stopping.signal, interruption: stopping.signal };
    const running = runAgent({ ...parts, onReady: () => ready.resolve() });
    running.catch(ready.reject);
    await ready.promise;
    agents.push(running);
  }
  return {
    async end() {
      stopping.abort();
      await Promise.allSettled(agents);
    },
  };
}

/** Agents that only wait. */
export interface IdleAgents extends Agents {
  /** From now on each of them asks for work and waits so long, again and again. Undefined: as long as the server chooses. */
  waitFor(seconds: number | undefined): void;
}

/** Longer than the server is silent. */
const silenceMsMax = 75_000;

/** The requests of real agents, without an engine. */
export async function registerIdleAgents({ address, token }: Where, count: number): Promise<IdleAgents> {
  const connection = { address, token: new Secret(token) };
  const pool = new Pool(connection);
  const stopping = new AbortController();
  const { signal } = stopping;
  const ids: string[] = [];
  let waiting: readonly Promise<void>[] | undefined;
  let seconds: number | undefined;
  const wait = async (id: string) => {
    while (!signal.aborted) {
      const attributes = { padded: true, ...(seconds === undefined ? {} : { 'wait-seconds': seconds }) };
      const document = { data: { type: 'agents', attributes } };
      const path = `/agents/${id}/actions/take`;
      await send(connection, { method: 'POST', path, document, signal, timeoutMs: silenceMsMax, onSign() {} });
    }
  };
  await times(count, 16, async (at) => void ids.push(await pool.register({ name: `idle-${at}`, version: '1' })));
  return {
    waitFor(each) {
      seconds = each;
      waiting ??= ids.map(wait);
    },
    async end() {
      stopping.abort();
      await Promise.allSettled(waiting ?? []);
    },
  };
}
