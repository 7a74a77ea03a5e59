import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../../support/flow/processes.ts';
import { patience } from '../../support/measures/patience.ts';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { agentOf, settled } from '../agent-of.ts';

// The API that an agent talks to is killed in the middle of a part of a run; another one answers after a while.
const ground = workspaceGround();

/** An address that leads to one API, to none, and to another one. */
async function switchedLine(port: number) {
  let target: number | undefined = port;
  let refused = 0;
  const line = createServer((client) => {
    client.on('error', () => {});
    if (target === undefined) {
      refused += 1;
      client.destroy();
      return;
    }
    const server = connect(target, '127.0.0.1');
    server.on('error', () => client.destroy());
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    client.pipe(server);
    server.pipe(client);
  });
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void line.close());
  const address = line.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    refused: () => refused,
    to(next: number | undefined) {
      target = next;
    },
  };
}

async function killableApi() {
  const { config } = ground.service;
  return startProgram('serve', {
    environment: {
      DATABASE_URL: String(config.DATABASE_URL),
      REDIS_URL: String(config.REDIS_URL),
      KEYFERRY_REDIS_PREFIX: config.KEYFERRY_REDIS_PREFIX,
      KEYFERRY_SEAL_KEY: String(config.KEYFERRY_SEAL_KEY),
      KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0',
      KEYFERRY_HOST: '127.0.0.1',
      PORT: '0',
    },
  });
}

const portOf = (address: string): number => Number(new URL(address).port);

async function holds(condition: () => boolean): Promise<void> {
  const end = performance.now() + patience.conditionMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error('the condition does not hold');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test.each(['plan', 'apply'] as const)(
  'an API that is killed during the %s loses nothing, and nothing is done twice',
  async (part) => {
    const api = await killableApi();
    onTestFinished(() => api.stop());
    const line = await switchedLine(portOf(/http:\/\/\S+/.exec(api.ready)?.[0] ?? ''));
    const { configure, run, until, logOf, row, signs, workspace, folders } = await agentOf(ground, {
      address: line.address,
    });
    const [begun, go, ends] = ['begun', 'go', 'ends'].map((name) => join(signs, name)) as [string, string, string];
    await configure({
      [`${part}.sh`]: `
      echo ${part} >> ${begun}
      while [ ! -e ${go} ]; do sleep 0.1; done
      echo ${part} >> ${ends}`,
    });
    const { id } = (await run({ 'auto-apply': true })).item;
    await holds(() => existsSync(begun));
    await api.end('SIGKILL');
    line.to(undefined);
    // The engine ends while nobody answers.
    await writeFile(go, '');
    await holds(() => existsSync(ends));
    const before = line.refused();
    await holds(() => line.refused() > before + 2);
    line.to(portOf(ground.service.address));
    expect(await until(id, settled), await logOf(id, part)).toBe('applied');
    expect(await readFile(begun, 'utf8')).toBe(`${part}\n`);
    expect(await row()).toMatchObject({ lock_kind: null });
    const state = await ground.call('GET', `/workspaces/${workspace.id}/current-state-version`);
    expect(state.item).toMatchObject({ attributes: { serial: 1 }, relationships: { run: { data: { id } } } });
    const { rows } = await sql`select part, epoch from ws_run_jobs where run_id = ${id} order by part`.execute(
      ground.service.store.db,
    );
    expect(rows).toEqual([
      { part: 'apply', epoch: expect.anything() },
      { part: 'plan', epoch: expect.anything() },
    ]);
    expect(await logOf(id, part)).toMatch(/\u0003$/);
    expect((await folders()).filter((name) => name.endsWith('.tfstate'))).toEqual([]);
  },
);
