import { expect, test } from 'vitest';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { eventually } from '#test/support/flow/open-service.ts';
import type { PendingSync } from '#workspaces/contract.ts';
import { Board, releasing } from '#workspaces/resources/agent-jobs/board.ts';
import { Presence, pingMs } from '#workspaces/resources/agents/presence.ts';
import { silentSeconds } from '#workspaces/resources/agents/store.ts';
import { everyRow } from '../../every-row/rows.ts';
import { workspaceGround } from '../../support/ground.ts';
import { poolOf } from './pool-of.ts';

// What the agents that wait in one process share.
const ground = workspaceGround();
const never = new AbortController().signal;
const hourMs = 3_600_000;
const anHour = { waitMs: hourMs, signal: never, isPadded: false };

const boardOf = (pendingSyncs: () => readonly PendingSync[] = () => [], everyMs?: number) => {
  const { store } = ground.service;
  const runs = { perOrganizationMax: 50, syncWaitMs: hourMs };
  return new Board({ store, runs, pendingSyncs: async () => pendingSyncs() }, everyMs);
};

const agentOf = async ({ pool, register, tokenId, organization }: Awaited<ReturnType<typeof poolOf>>) => ({
  agentId: await register(),
  poolId: pool.id,
  organizationId: organization.id,
  tokenId,
});

test('one run wakes one agent of its pool, the one that has waited longest; the others are told when the process ends', async () => {
  const [busy, idle] = [await poolOf(ground), await poolOf(ground)];
  const board = boardOf();
  const elsewhere = board.wait(await agentOf(idle), anHour);
  const [first, second] = [await agentOf(busy), await agentOf(busy)];
  const waiting = [board.wait(first, anHour), board.wait(second, anHour)] as const;
  await busy.configuration();
  await busy.run({ 'plan-only': true });
  expect(await waiting[0]).toBe('work');
  board.close();
  expect([await waiting[1], await elsewhere]).toEqual(['over', 'over']);
  expect(await board.wait(first, anHour)).toBe('over');
});

test('a pool is empty from a look that finds no work until something in this process may have made some', async () => {
  const stage = await poolOf(ground);
  const board = boardOf();
  const waiting = board.wait(await agentOf(stage), anHour);
  const { id } = stage.pool;
  expect(board.work.isEmpty(id)).toBe(false);
  await eventually(() => board.work.isEmpty(id));
  const rows = everyRow(ground);
  const forRow = async (path: string) => {
    await eventually(() => board.work.isEmpty(id));
    const row = rows.find((one) => one.path === path && one.method === 'POST');
    if (row === undefined) throw new Error(`no row ${path}`);
    await releasing({ ...row, run: async () => undefined }, board).run({} as Parameters<ApiRow['run']>[0]);
    return !board.work.isEmpty(id);
  };
  expect(await forRow('/api/v2/runs')).toBe(true);
  expect(await forRow('/api/v2/agents')).toBe(false);
  expect(await forRow('/api/v2/agent-jobs/:job_id/actions/extend')).toBe(false);
  expect(await forRow('/api/v2/agent-jobs/:job_id/actions/finish')).toBe(true);
  board.close();
  await waiting;
});

test('agents that ask together share a look, and as many of them try as there are runs', async () => {
  const [busy, idle] = [await poolOf(ground), await poolOf(ground)];
  await busy.configuration();
  await busy.run({ 'plan-only': true });
  const { work } = boardOf();
  const tries = ({ pool }: typeof busy) => Promise.all(Array.from({ length: 5 }, () => work.mayTake(pool.id)));
  expect(await tries(busy)).toEqual([true, false, false, false, false]);
  expect(await tries(busy)).toEqual([true, false, false, false, false]);
  expect(work.isEmpty(busy.pool.id)).toBe(false);
  expect(await tries(idle)).toEqual([false, false, false, false, false]);
  expect(work.isEmpty(idle.pool.id)).toBe(true);
});

test('what a request to this process has made is found without waiting for the next look', async () => {
  const stage = await poolOf(ground);
  await stage.configuration();
  const board = boardOf(() => [], hourMs);
  const waiting = board.wait(await agentOf(stage), anHour);
  await stage.run({ 'plan-only': true });
  board.changed();
  expect(await waiting).toBe('work');
  board.close();
});

test('what changes during a look is not taken for something that the look has seen', async () => {
  const [busy, idle] = [await poolOf(ground), await poolOf(ground)];
  await busy.configuration();
  await busy.run({ 'plan-only': true });
  const seen: boolean[] = [];
  const board = boardOf(() => {
    board.changed();
    return [];
  });
  const [one, other] = [await agentOf(busy), await agentOf(idle)];
  const look = board.wait(one, anHour).then(() => seen.push(board.work.isEmpty(idle.pool.id)));
  const waiting = board.wait(other, anHour);
  await look;
  expect(seen).toEqual([false]);
  board.close();
  await waiting;
});

test('a plan that waits for a sync says so in its log while all agents of its pool wait', async () => {
  const stage = await poolOf(ground);
  await stage.configuration();
  const { id } = (await stage.run({ 'plan-only': true })).item;
  const board = boardOf(() => [{ workspaceId: stage.workspace.id }]);
  const waiting = board.wait(await agentOf(stage), anHour);
  const { db } = ground.service.store;
  const runs = db.selectFrom('ws_runs').select('plan_log_id').where('id', '=', id);
  await eventually(async () => (await runs.executeTakeFirstOrThrow()).plan_log_id !== null);
  const shown = await ground.call('GET', `/runs/${id}/plan`);
  const log = await (await fetch(String(shown.item.attributes['log-read-url']))).text();
  expect(log).toMatch(/^\u0002Waiting for a sync to the variables of this workspace\.\n/);
  board.close();
  expect(await waiting).toBe('over');
});

test('an agent is looked up once while it is seen, is noted as living while it waits, and is missed when it was deleted', async () => {
  const stage = await poolOf(ground);
  const agent = await agentOf(stage);
  const presence = new Presence(ground.service.store);
  const statusOf = async () => (await ground.call('GET', `/agents/${agent.agentId}`)).item.attributes['status'];
  const silence = () => ground.service.store.db.updateTable('ws_agents').where('id', '=', agent.agentId);
  expect(await presence.has({ ...agent, poolId: 'apool-other' })).toBe(false);
  expect(await presence.has(agent)).toBe(true);
  await silence()
    .set({ last_ping_at: new Date(0) })
    .execute();
  expect(await statusOf()).toBe('unknown');
  expect([...(await presence.ping([agent]))]).toEqual([]);
  expect(await statusOf()).toBe('idle');
  // Behind a proxy an agent that has left may seem to wait.
  expect((await ground.call('POST', `/agents/${agent.agentId}/actions/exit`, undefined, stage.token)).status).toBe(204);
  expect([...(await presence.ping([agent]))]).toEqual([]);
  expect(await statusOf()).toBe('exited');
  expect(await presence.has(agent)).toBe(true);
  expect(await statusOf()).toBe('idle');
  await ground.service.store.db.deleteFrom('ws_agents').where('id', '=', agent.agentId).execute();
  expect([...(await presence.ping([agent]))]).toEqual([agent.agentId]);
  expect(await presence.has(agent)).toBe(false);
});

test('a waiting agent is noted several times before it would be shown as unknown', () => {
  expect(silentSeconds * 1_000).toBeGreaterThanOrEqual(3 * pingMs);
});
