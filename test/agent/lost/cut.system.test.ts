import { existsSync, readFileSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { settled } from '../agent-of.ts';
import { endedBy, poolOfProcesses } from './agent-process.ts';
import { type Held, heldLine } from './held-line.ts';

// The process of an agent that is killed while one of its requests is on the way.
const ground = workspaceGround();

/** A workspace that has been applied once, and a run of it whose agent is killed when a request of this kind is on its way, after the engine has worked. */
async function cutRun(part: 'plan' | 'apply', held: Held, isHeld: (request: string) => boolean) {
  const stage = await poolOfProcesses(ground);
  const done = join(stage.signs, 'done');
  const say = (one: string) => `echo "$TFC_RUN_ID ${one}" >> ${done}; echo ${'said '.repeat(200)}`;
  const times = () => readFileSync(done, 'utf8').split(` ${part}\n`).length - 1;
  await stage.configure({ 'plan.sh': say('plan'), 'apply.sh': say('apply') });
  await writeFile(done, '');
  await chmod(done, 0o666);
  const line = await heldLine(ground.service.address, held, (request) => isHeld(request) && times() === 2);
  const agent = stage.startAgent({ environment: { KEYFERRY_AGENT_ADDRESS: line.address } });
  const before = (await stage.run({ 'auto-apply': true })).item.id;
  expect(await stage.until(before, settled), await stage.logOf(before, 'apply')).toBe('applied');
  const { id } = (await stage.run({ 'auto-apply': true })).item;
  await line.arrived;
  await endedBy(agent, 'SIGKILL');
  await stage.lose(id);
  const count = (one: string) =>
    readFileSync(done, 'utf8')
      .split('\n')
      .filter((said) => said === `${id} ${one}`).length;
  /** The serial of the current state, which can be read whole, and the one that the workspace names. */
  const serial = async () => {
    const shown = await ground.call('GET', `/workspaces/${stage.workspace.id}/current-state-version`);
    const url = String(shown.item.attributes['hosted-state-download-url']);
    const reply = await fetch(url, { headers: { authorization: `Bearer ${stage.writer.token}` } });
    const state: unknown = JSON.parse(await reply.text());
    expect(state).toMatchObject({ lineage: 'l-1', serial: shown.item.attributes['serial'] });
    return Number(shown.item.attributes['serial']);
  };
  return { ...stage, id, count, serial, kept: join(stage.folder, `${id}.tfstate`) };
}

const ofJob = (rest: string) => (request: string) => request.endsWith(rest) && request.includes('/agent-jobs/');

describe('an agent that is killed in the plan while', () => {
  test.each<[string, Held, (request: string) => boolean]>([
    ['its log is on the way', 'request', (request) => /\/plan-\w+\/log$/.test(request)],
    ['its plan is on the way', 'request', ofJob('/plan-file')],
  ])('%s is followed by another one, which plans and applies once', async (_what, held, isHeld) => {
    const { id, until, logOf, startAgent, count, serial, row } = await cutRun('plan', held, isHeld);
    startAgent();
    expect(await until(id, settled), await logOf(id, 'plan')).toBe('applied');
    expect([count('plan'), count('apply')]).toEqual([2, 1]);
    expect(await serial()).toBe(2);
    expect(await row()).toMatchObject({ lock_kind: null });
  });
});

describe('an agent that is killed in the apply while', () => {
  const isOfApply = (rest: string) => (request: string) => new RegExp(`/apply-\\w+/${rest}$`).test(request);
  test.each<[string, Held, (request: string) => boolean, { stored: boolean; status: string }]>([
    [
      'it announces its state',
      'request',
      (request) => /^POST .*\/state-versions$/.test(request),
      { stored: false, status: 'errored' },
    ],
    ['its state is on the way', 'request', (request) => /^PUT /.test(request), { stored: false, status: 'errored' }],
    ['its outcome is on the way', 'request', isOfApply('actions/finish'), { stored: true, status: 'errored' }],
    [
      'the reply to its outcome is on the way',
      'reply',
      isOfApply('actions/finish'),
      { stored: true, status: 'applied' },
    ],
  ])('%s leaves a whole state, and nothing is applied twice', async (_what, held, isHeld, { stored, status }) => {
    const stage = await cutRun('apply', held, isHeld);
    const { id, until, run, logOf, startAgent, count, serial, row, kept } = stage;
    startAgent();
    const next = (await run({ 'auto-apply': true })).item.id;
    expect(await until(id, settled), await logOf(id, 'apply')).toBe(status);
    if (status === 'errored') expect(await logOf(id, 'apply')).toContain('The apply is not repeated');
    // The workspace is free for the next run, which finds the state.
    expect(await until(next, settled), await logOf(next, 'apply')).toBe('applied');
    expect([count('plan'), count('apply')]).toEqual([1, 1]);
    expect(await serial()).toBe(stored ? 3 : 2);
    expect(await row()).toMatchObject({ lock_kind: null });
    const { rows } = await sql`
      select serial from ws_state_versions where workspace_id = ${stage.workspace.id} and state_blob_id is null`.execute(
      ground.service.store.db,
    );
    expect(rows, 'an announced state that never came is not current, and there is one at most').toHaveLength(
      _what === 'its state is on the way' ? 1 : 0,
    );
    // What the service does not have is kept on the machine.
    if (existsSync(kept)) expect(JSON.parse(await readFile(kept, 'utf8'))).toMatchObject({ serial: 2 });
    else expect(stored).toBe(true);
  });
});
