import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../../support/flow/processes.ts';
import { opaProgram, policyText } from '../../workspaces/resources/policies/opa-program.ts';
import { policySetOf } from '../../workspaces/resources/policies/policed.ts';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { settled } from '../agent-of.ts';
import { holds, poolOfProcesses } from './agent-process.ts';

// Processes that are killed while the policies of a plan are evaluated: the program that evaluates kills the one that a file names, once.
const folder = mkdtempSync(join(tmpdir(), 'evaluation-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const victim = join(folder, 'victim');
const program = join(folder, 'opa');
writeFileSync(
  program,
  `#!/bin/sh
if [ "$1" = eval ] && pid=$(cat '${victim}' 2> /dev/null) && [ -n "$pid" ]; then
  rm '${victim}'
  kill -KILL "$pid"
fi
exec '${opaProgram()}' "$@"
`,
);
chmodSync(program, 0o755);
const ground = workspaceGround({ KEYFERRY_OPA: program });

/** A sweep of its own, since the service of the test has none. */
async function sweep() {
  const { config } = ground.service;
  const started = await startProgram('sweep', {
    environment: {
      DATABASE_URL: String(config.DATABASE_URL),
      REDIS_URL: String(config.REDIS_URL),
      KEYFERRY_REDIS_PREFIX: config.KEYFERRY_REDIS_PREFIX,
      KEYFERRY_SEAL_KEY: String(config.KEYFERRY_SEAL_KEY),
      KEYFERRY_SWEEP_MS: '200',
      KEYFERRY_OPA: program,
    },
  });
  onTestFinished(() => started.stop());
  return started;
}

test.each(['agent', 'sweep'] as const)(
  'a killed %s during the evaluation: a run is checked and applied once',
  async (who) => {
    const stage = await poolOfProcesses(ground);
    await policySetOf(ground, stage, { text: policyText.current('bad') });
    const done = join(stage.signs, 'done');
    writeFileSync(done, '');
    chmodSync(done, 0o666);
    const say = (part: string) => `echo ${part} >> ${done}`;
    await stage.configure({
      'plan.sh': say('plan'),
      'apply.sh': say('apply'),
      'show.sh': `echo '{"resource_changes":[]}'; exit 0`,
    });
    const agent = stage.startAgent();
    const first = await sweep();
    writeFileSync(victim, String(who === 'agent' ? agent.pid : first.pid));
    const { id } = (await stage.run({ 'auto-apply': true })).item;
    await holds(() => !existsSync(victim), 'the evaluation has begun');
    if (who === 'agent') {
      await holds(() => agent.signalCode === 'SIGKILL', 'the agent is dead');
      stage.startAgent();
    } else {
      await sql`
      update ws_policy_evaluations set claimed_until = now(), next_at = now()
       where status = 'running' and stage_id in (select id from ws_task_stages where run_id = ${id})`.execute(
        ground.service.store.db,
      );
      await sweep();
    }
    expect(await stage.until(id, settled), await stage.logOf(id, 'plan')).toBe('applied');
    expect(readFileSync(done, 'utf8')).toBe('plan\napply\n');
    expect(await stage.row()).toMatchObject({ lock_kind: null });
    const { rows } = await sql`
    select e.status from ws_policy_evaluations e join ws_task_stages s on s.id = e.stage_id where s.run_id = ${id}`.execute(
      ground.service.store.db,
    );
    expect(rows).toEqual([{ status: 'passed' }]);
    const state = await ground.call('GET', `/workspaces/${stage.workspace.id}/current-state-version`);
    expect(state.item).toMatchObject({ attributes: { serial: 1 }, relationships: { run: { data: { id } } } });
  },
);
