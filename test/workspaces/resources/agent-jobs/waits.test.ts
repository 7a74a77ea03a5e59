import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openApi } from '#app.ts';
import { silentLog } from '#core/log/log.ts';
import { counted } from '#infra/bench/workspaces/statements.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { eventually } from '#test/support/flow/open-service.ts';
import { everyRow } from '../../every-row/rows.ts';
import { documentOf } from '../../support/documents.ts';
import { type Answer, workspaceGround } from '../../support/ground.ts';
import { poolOf } from './pool-of.ts';

// Requests for work that wait.
const ground = workspaceGround();
const longest = 55;

const run = (query: ReturnType<typeof sql>) => query.execute(ground.service.store.db);

/** Starts a request that waits, and returns when it has been admitted. */
async function waiting(agent: string, take: () => Promise<Answer>): Promise<{ readonly answer: Promise<Answer> }> {
  await run(sql`update ws_agents set exited = true where id = ${agent}`);
  const answer = take();
  await eventually(async () => {
    const shown = await ground.call('GET', `/agents/${agent}`);
    return shown.item.attributes['status'] !== 'exited';
  });
  return { answer };
}

test('while a pool has no work, the request of an agent makes one statement: it authenticates', async () => {
  const { register, take, configuration, run: queue } = await poolOf(ground);
  // Without anyone who waits, nobody looks whether there is work.
  const watching = take(await register(), longest);
  const agents = await Promise.all(Array.from({ length: 8 }, () => register()));
  const polls = () => Promise.all(agents.map((agent) => take(agent, 1)));
  const own = /\bws_(agents|agent_tokens|tokens)\b/;
  const seen: number[] = [];
  // A ping of all, or a look that came too late for one of them, may fall into a round.
  await eventually(
    async () => {
      const { answer, statements } = await counted(polls, own);
      expect(answer.map(({ status }) => status)).toEqual(agents.map(() => 204));
      seen.push(statements);
      return statements === agents.length;
    },
    () => seen.join(', '),
  );
  await configuration();
  await queue({ 'plan-only': true });
  expect((await watching).status).toBe(200);
});

test.each([
  ['an agent', (agent: string) => sql`delete from ws_agents where id = ${agent}`],
  [
    'the token of a pool',
    (agent: string) => sql`
      delete from ws_agent_tokens where agent_pool_id = (select agent_pool_id from ws_agents where id = ${agent})`,
  ],
])('%s that is deleted during a wait gets no job', async (_what, removal) => {
  const { register, take, configuration, run: queue, status } = await poolOf(ground);
  await configuration();
  const agent = await register();
  const { answer } = await waiting(agent, () => take(agent, longest));
  await run(removal(agent));
  const { id } = (await queue({ 'plan-only': true })).item;
  expect((await answer).status).toBe(404);
  expect(await status(id)).toBe('plan_queued');
});

test('an agent that waits at one process gets the run that another queues, and a process that ends answers those that wait', async () => {
  const stage = await poolOf(ground);
  const { service } = ground;
  const other = await openApi({ config: service.config, log: silentLog, metrics: openMetrics({ process: false }) });
  const { port } = await other.listen(0, '127.0.0.1');
  const [first, second] = [await stage.register(), await stage.register()];
  const takeThere = (agent: string) => () =>
    ground.call(
      'POST',
      `http://127.0.0.1:${port}/api/v2/agents/${agent}/actions/take`,
      documentOf('agents', { 'wait-seconds': longest }),
      stage.token,
    );
  try {
    await stage.configuration();
    const { answer } = await waiting(first, takeThere(first));
    const { id } = (await stage.run({ 'plan-only': true })).item;
    expect((await answer).item.attributes['run-id']).toBe(id);
    const left = await waiting(second, takeThere(second));
    await Promise.all([other.close(), expect(left.answer).resolves.toMatchObject({ status: 204 })]);
  } finally {
    await other.close();
  }
});

test('a request waits no longer than the deployment has time for', async () => {
  const { pool, organization, register } = await poolOf(ground);
  const row = everyRow(ground).find(({ path }) => path.endsWith('/actions/take'));
  // These rows may not wait at all.
  const reply = await row?.run({
    caller: { kind: 'agents', id: pool.id, organizationId: organization.id, tokenId: '', actsIn: new Set() },
    parameters: { agent_id: await register() },
    body: { attributes: { 'wait-seconds': 3_600 } },
    signal: new AbortController().signal,
  } as unknown as Parameters<typeof row.run>[0]);
  expect(reply).toBeUndefined();
});
