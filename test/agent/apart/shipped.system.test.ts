import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { userOfRun, usersOfRuns } from '#agent/run/users.ts';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { settled } from '../agent-of.ts';
import { holds, poolOfProcesses } from '../lost/agent-process.ts';
import { asInContainer, canBeContained, capabilitiesOfAgent } from './shipped.ts';

// The agent as the chart and docker-compose.yml start it, where runs cannot be isolated.
const ground = workspaceGround();
const isContained = canBeContained();
if (!isContained) console.info('not run as in a container: this user is not root, or may not make a user namespace');

const other = 'keyferry-run-0a1b2c3d-7-7-abcdef';

/** An agent in a folder that is open to all, as a volume is, with what an earlier agent has left in it. */
async function shipped(environment: Readonly<Record<string, string>> = {}) {
  const pool = await poolOfProcesses(ground);
  const { folder, token } = pool;
  await chmod(folder, 0o777);
  await mkdir(join(folder, other), { mode: 0o700 });
  await writeFile(join(folder, other, 'main.tf'), 'marker-other-run', { mode: 0o600 });
  for (const path of [join(folder, other, 'main.tf'), join(folder, other)])
    await chown(path, usersOfRuns.first, usersOfRuns.first);
  await writeFile(join(folder, 'run-x.tfstate'), 'marker-state', { mode: 0o600 });
  const secrets = await mkdtemp(join(tmpdir(), 'pool-token-'));
  onTestFinished(() => rm(secrets, { recursive: true, force: true }));
  await chmod(secrets, 0o755);
  const tokenFile = join(secrets, 'pool-token');
  await writeFile(tokenFile, token, { mode: 0o600 });
  const child = pool.startAgent({
    before: asInContainer(),
    environment: {
      KEYFERRY_AGENT_TOKEN: undefined,
      KEYFERRY_AGENT_TOKEN_FILE: tokenFile,
      KEYFERRY_AGENT_HEALTH_FILE: join(folder, 'health'),
      KEYFERRY_LOG_LEVEL: 'error',
      MARKER: 'marker-environment',
      ...environment,
    },
  });
  return { ...pool, tokenFile, child };
}

const hostile = (folder: string, tokenFile: string) => `
  agent=$PPID
  echo "user $(id -u):$(id -G)"
  cat /proc/$agent/environ ${tokenFile} ${folder}/run-x.tfstate ${folder}/${other}/main.tf ${folder}/*/*
  for one in /proc/[0-9]*; do tr '\\0' '\\n' < $one/environ; done 2> /dev/null | grep -a marker
  ls -l /proc/$agent/fd /proc/$agent/cwd && echo marker-open-files
  head -c 1 /proc/$agent/mem 2>&1 | grep -q 'Input/output' && echo marker-memory
  kill -0 $agent && echo marker-signal
  mv ${folder}/run-x.tfstate ${folder}/taken && echo marker-moved
  rm -f ${folder}/health && ln -s ${folder}/run-x.tfstate ${folder}/health && echo marker-replaced
  mv ${folder}/${other} ${folder}/taken-too && echo marker-moved-too
  grep -E '^(CapPrm|CapEff|CapAmb|NoNewPrivs)' /proc/self/status
  setsid sleep 100000 &
  mkdir -m 1777 sticky; touch sticky/file; mkdir -p closed/inner; touch closed/inner/file; chmod 0 closed/inner closed`;

describe.skipIf(!isContained)('a run of the shipped agent', () => {
  test('gets nothing of the agent and of other runs, and leaves nothing', async () => {
    const { configure, run, until, logOf, folder, tokenFile, token } = await shipped();
    await configure({ 'plan.sh': hostile(folder, tokenFile), 'apply.sh': 'id -u' });
    const { id } = (await run({ 'auto-apply': true })).item;
    expect(await until(id, settled), await logOf(id, 'plan')).toBe('applied');
    const log = await logOf(id, 'plan');
    const [, uid, groups] = /^user (\d+):(.*)$/m.exec(log) ?? [];
    expect(Number(uid)).toBeGreaterThan(usersOfRuns.first);
    expect(Number(uid)).toBeLessThanOrEqual(usersOfRuns.last);
    expect(groups).toBe(uid);
    expect(log).not.toContain('marker');
    expect(log).not.toContain(token);
    expect(log.match(/^Cap.*:\s0+$/gm)).toHaveLength(3);
    expect(log).toMatch(/^NoNewPrivs:\s1$/m);
    expect(await readFile(join(folder, 'run-x.tfstate'), 'utf8')).toBe('marker-state');
    expect(await readFile(join(folder, 'health'), 'utf8')).toContain('have users of their own');
    await holds(async () => (await readdir(folder)).length === 3, 'the folder of the run is removed');
    expect((await readdir(folder)).toSorted()).toEqual([other, 'health', 'run-x.tfstate'].toSorted());
    await holds(async () => (await processesOf(Number(uid))) === 0, 'no process of the run is left');
  });

  test('would get it with the user of the agent', async () => {
    const { configure, run, until, logOf, folder, tokenFile, token } = await shipped({ KEYFERRY_AGENT_USER: '0:0' });
    await configure({ 'plan.sh': hostile(folder, tokenFile).split('kill -0')[0] ?? '' });
    const { id } = (await run({ 'plan-only': true })).item;
    await until(id, settled);
    const log = await logOf(id, 'plan');
    for (const name of ['environment', 'state', 'other-run', 'open-files', 'memory'])
      expect(log).toContain(`marker-${name}`);
    expect(log).toContain(token);
  });

  test('is stopped when it is canceled, and when its files without a name are too large', async () => {
    const limits = { KEYFERRY_AGENT_DISK_BYTES_MAX: '20000000', KEYFERRY_AGENT_GRACE_MS: '500' };
    const { configure, run, until, logOf, signs, act } = await shipped(limits);
    const begun = join(signs, 'begun');
    await configure({ 'plan.sh': `trap '' INT; touch ${begun}; while :; do sleep 0.1; done` });
    const canceled = (await run()).item;
    await holds(() => existsSync(begun), 'the plan has begun');
    await act(canceled.id, 'cancel');
    expect(await until(canceled.id, settled)).toBe('canceled');
    await configure({
      'plan.sh': `
        exec 3> a 4> b; rm a b
        for n in 3 4; do head -c 12000000 /dev/zero >&$n; done
        sleep 100000`,
    });
    const large = (await run()).item;
    expect(await until(large.id, settled)).toBe('errored');
    expect(await logOf(large.id, 'plan')).toContain('The run wrote more than this agent allows, and was stopped.');
  });
});

describe.skipIf(!isContained)('of the capabilities that the agent has', () => {
  test.each([
    ['none left out', 'nothing'],
    ['CHOWN', 'give a folder to the run'],
    ['DAC_OVERRIDE', 'give a folder to the run'],
    ['SETUID', 'start a command as another user'],
    ['SETGID', 'start a command as another user'],
    ['KILL', 'end a process of the run'],
    ['FOWNER', 'remove what the run left'],
  ])('without %s the agent fails to: %s', async (without, expected) => {
    const folder = await mkdtemp(join(tmpdir(), 'needs-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o711);
    const kept = capabilitiesOfAgent.filter((one) => one !== without);
    const [program = '', ...words] = [...asInContainer(kept), process.execPath, 'test/agent/apart/needs.ts', folder];
    const { stdout } = spawnSync(program, words, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
    expect(stdout).toBe(`${expected}\n`);
  });
});

async function processesOf(uid: number): Promise<number> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(names.map((name) => stat(`/proc/${name}`).catch(() => undefined)));
  return found.filter((one) => one?.uid === uid).length;
}

test.runIf(process.getuid?.() === 0)('a run has no user to whom a folder of another run belongs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'users-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const users = { first: 61_170, last: 61_171 };
  const settings = { folder, user: undefined, users };
  await mkdir(join(folder, other));
  await chown(join(folder, other), users.first, users.first);
  expect(await userOfRun(settings)).toEqual({ uid: users.last, gid: users.last });
  expect(await userOfRun({ ...settings, user: { uid: 7, gid: 8 } })).toEqual({ uid: 7, gid: 8 });
  await mkdir(join(folder, `${other.slice(0, -1)}g`));
  await chown(join(folder, `${other.slice(0, -1)}g`), users.last, users.last);
  await expect(userOfRun(settings)).rejects.toThrow('All users of runs');
});
