import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { standIn } from '../../agent/agent-of.ts';
import { eventually } from '../../support/flow/open-service.ts';
import { descendants, type Started, startProgram } from '../../support/flow/processes.ts';
import { emptyDatabase, ending, testRedis } from '../../support/services.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-dev-agent-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function environment() {
  const { url, prefix } = testRedis();
  return {
    DATABASE_URL: await emptyDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    KEYFERRY_DATA_DIR: join(folder, 'data'),
    KEYFERRY_DEV_ROOT_TOKEN: 'root-of-dev',
    PORT: '0',
  };
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> }[];
}

const list = async ({ ready }: Started, path: string) => {
  const answer = await fetch(`${ready}/api/v2${path}`, { headers: { authorization: 'Bearer root-of-dev' } });
  return ((await answer.json()) as Listed).data;
};

test('the development server runs an agent when it finds an engine, says so, and starts again with the same pool', async () => {
  const all = { ...(await environment()), PATH: `${standIn}:/usr/bin:/bin` };
  for (const start of ['first', 'second']) {
    const dev = ending(await startProgram('dev', { environment: all }));
    expect(dev.out, start).toContain('an agent runs plans and applies of the organization dev with terraform 1.11.4');
    const pools = await list(dev, '/organizations/dev/agent-pools');
    expect(pools.map(({ attributes }) => attributes['name'])).toEqual(['local']);
    const agents = () => list(dev, `/agent-pools/${pools[0]?.id}/agents`);
    await eventually(async () => (await agents()).some(({ attributes }) => attributes['status'] === 'idle'));
    expect(await list(dev, `/agent-pools/${pools[0]?.id}/authentication-tokens`)).toHaveLength(1);
    const tokenFile = await tokenFileOf(dev);
    expect(await dev.end('SIGTERM')).toMatchObject({ code: 0 });
    if (tokenFile !== undefined) expect(existsSync(tokenFile)).toBe(false);
  }
});

/** The file by which the server hands the token of the pool to its agent, as the environment of the agent tells it. */
async function tokenFileOf({ pid }: Started): Promise<string | undefined> {
  if (!existsSync('/proc/self/environ')) return undefined;
  const read = (one: number) => readFile(`/proc/${one}/environ`, 'utf8').catch(() => '');
  const all = (await Promise.all(descendants(pid).map(read))).map((text) => text.split('\0'));
  const ofAgent = all.find((one) => one.includes('KEYFERRY_AGENT_NAME=local')) ?? [];
  expect(ofAgent.filter((one) => one.startsWith('KEYFERRY_AGENT_TOKEN='))).toEqual([]);
  const file = ofAgent.find((one) => one.startsWith('KEYFERRY_AGENT_TOKEN_FILE='))?.split('=')[1] ?? '';
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  return file;
}

test('without an engine, or when it is switched off, there is no agent', async () => {
  const all = { ...(await environment()), PATH: '/usr/bin:/bin' };
  const without = ending(await startProgram('dev', { environment: all }));
  expect(without.out).toContain('no agent runs plans and applies: neither terraform nor tofu is on the PATH');
  expect(await without.end('SIGTERM')).toMatchObject({ code: 0 });
  const off = ending(await startProgram('dev', { environment: { ...all, KEYFERRY_DEV_AGENT: 'off' } }));
  expect(off.out.join('\n')).not.toContain('agent');
  expect(await off.end('SIGTERM')).toMatchObject({ code: 0 });
});
