import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { workspaceGround } from '../workspaces/support/ground.ts';
import { agentOf, settled } from './agent-of.ts';

const ground = workspaceGround();

test('the engine gets the token of the workload identity, of the plan and of the apply, and the log does not', async () => {
  const { configure, run, until, logOf, variable } = await agentOf(ground);
  await variable({ key: 'TFC_WORKLOAD_IDENTITY_AUDIENCE_VAULT', value: 'keyferry', category: 'env' });
  await variable({ key: 'TFC_WORKLOAD_IDENTITY_TOKEN_VAULT', value: 'of the author', category: 'env' });
  // Spaces between the characters: a way around the mask that only the author of a configuration can take.
  const script = `echo "$TFC_WORKLOAD_IDENTITY_TOKEN_VAULT"; echo "<$(echo "$TFC_WORKLOAD_IDENTITY_TOKEN_VAULT" | sed 's/./& /g')>"`;
  await configure({ 'plan.sh': script, 'apply.sh': script });
  const { id } = (await run({ 'auto-apply': true })).item;
  expect(await until(id, settled)).toBe('applied');
  for (const phase of ['plan', 'apply'] as const) {
    const log = await logOf(id, phase);
    const token = (/<(.*)>/.exec(log)?.[1] ?? '').replaceAll(' ', '');
    expect(decodeJwt(token)).toMatchObject({ aud: 'keyferry', terraform_run_phase: phase, terraform_run_id: id });
    expect(log).toContain('\n***');
    expect(log).not.toContain(token.slice(0, 100));
  }
});
