import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventually } from '#test/support/flow/open-service.ts';
import { workspaceGround } from '../../support/ground.ts';
import { openPadding } from './padded.ts';
import { poolOf } from './pool-of.ts';

// Waits that are long, those that end at the next ping, and the service that is sealed meanwhile.
const ground = workspaceGround();

const run = (query: ReturnType<typeof sql>) => query.execute(ground.service.store.db);

test('a wait may take longer than other requests', async () => {
  const { register, token, configuration, run: queue } = await poolOf(ground);
  const { wait } = await openPadding(ground, { KEYFERRY_REQUEST_MS_MAX: 20_000 });
  const began = performance.now();
  const waiting = await wait(await register(), token);
  // The server looks for late requests every five seconds.
  while (performance.now() - began < 30_000) await waiting.spaces(1);
  await configuration();
  const { id } = (await queue({ 'plan-only': true })).item;
  expect(JSON.parse(await waiting.rest())).toMatchObject({ data: { attributes: { 'run-id': id } } });
});

test.each([
  ['its pool', (pool: string) => sql`delete from ws_agent_pools where id = ${pool}`],
  ['the token', (pool: string) => sql`delete from ws_agent_tokens where agent_pool_id = ${pool}`],
  [
    'the organization',
    (pool: string) => sql`
      update ws_organizations set removed_at = now() where id = (select organization_id from ws_agent_pools where id = ${pool})`,
  ],
])('an agent waits no longer when %s has been deleted', async (_what, removal) => {
  const { register, token, pool, workspace } = await poolOf(ground);
  const { wait } = await openPadding(ground);
  const waiting = await wait(await register(), token);
  await waiting.spaces(1);
  await run(sql`update ws_workspaces set execution_mode = 'local', agent_pool_id = null where id = ${workspace.id}`);
  await run(removal(pool.id));
  expect(JSON.parse(await waiting.rest())).toMatchObject({ errors: [{ status: '404' }] });
});

test('agents that wait are seen, and their token is in use', async () => {
  const { register, token, pool } = await poolOf(ground);
  const { wait } = await openPadding(ground);
  const agent = await register();
  const waiting = await wait(agent, token);
  await waiting.spaces(1);
  await run(sql`update ws_agents set last_ping_at = now() - interval '1 hour' where id = ${agent}`);
  await run(sql`update ws_agent_tokens set last_used_at = now() - interval '1 hour' where agent_pool_id = ${pool.id}`);
  await eventually(async () => {
    const shown = await ground.call('GET', `/agents/${agent}`);
    const tokens = await ground.call('GET', `/agent-pools/${pool.id}/authentication-tokens`);
    const [used] = tokens.items.map(({ attributes }) => Date.parse(String(attributes['last-used-at'])));
    return shown.item.attributes['status'] === 'idle' && Date.now() - (used ?? 0) < 1_800_000;
  });
  await waiting.spaces(1);
});

test('a run that comes while the service is sealed is refused in the document, and stays queued', async () => {
  const { register, token, configuration, run: queue, workspace, pool } = await poolOf(ground);
  const { wait } = await openPadding(ground);
  await configuration();
  const { id } = (await queue({ 'plan-only': true })).item;
  const choose = (chosen: string | null) =>
    run(sql`update ws_workspaces set agent_pool_id = ${chosen} where id = ${workspace.id}`);
  await choose(null);
  const waiting = await wait(await register(), token);
  await waiting.spaces(1);
  expect((await ground.service.ask('PUT', 'sys/seal')).status).toBe(204);
  await waiting.spaces(50);
  await choose(pool.id);
  expect(JSON.parse(await waiting.rest())).toMatchObject({ errors: [{ status: '503' }] });
  const { rows } = await sql`select status from ws_runs where id = ${id}`.execute(ground.service.store.db);
  expect(rows).toEqual([{ status: 'pending' }]);
});
