import { sql } from 'kysely';
import { documentOf } from '../../support/documents.ts';
import type { Answer, WorkspaceGround } from '../../support/ground.ts';
import { runnableWorkspace } from '../runs/runs-of.ts';

/** A workspace in the mode `agent` with a pool, its token, and requests of agents. */
export async function poolOf(ground: WorkspaceGround) {
  const runnable = await runnableWorkspace(ground);
  const { organization, workspace } = runnable;
  const { db } = ground.service.store;
  const pool = await ground.call(
    'POST',
    `/organizations/${organization.name}/agent-pools`,
    documentOf('agent-pools', { name: 'build' }),
  );
  const made = await ground.call(
    'POST',
    `/agent-pools/${pool.item.id}/authentication-tokens`,
    documentOf('authentication-tokens', { description: 'd' }),
  );
  const token = String(made.item.attributes['token']);
  await sql`
    update ws_workspaces set execution_mode = 'agent', agent_pool_id = ${pool.item.id} where id = ${workspace.id}`.execute(
    db,
  );
  const register = async (): Promise<string> =>
    (await ground.call('POST', '/agents', documentOf('agents', { name: 'one', version: '1' }), token)).item.id;
  const take = (agent: string, seconds = 0): Promise<Answer> =>
    ground.call('POST', `/agents/${agent}/actions/take`, documentOf('agents', { 'wait-seconds': seconds }), token);
  /** Lets the lease of a job expire. */
  const lose = (runId: string) =>
    sql`update ws_run_jobs set lease_until = now() - interval '1 second',
               unused_until = case when unused_until = lease_until then now() - interval '1 second' end
         where run_id = ${runId} and lease_until is not null`.execute(db);
  return { ...runnable, pool: pool.item, token, tokenId: made.item.id, register, take, lose };
}

/** A job that an agent has taken: its requests carry the token of the run. */
export function jobOf(ground: WorkspaceGround, taken: Answer) {
  const { id, attributes } = taken.item;
  const token = String(attributes['token']);
  const path = `/agent-jobs/${id}`;
  const bytes = (name: string, body: string | Buffer): Promise<Response> =>
    fetch(`${ground.service.address}/api/v2${path}/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: new Uint8Array(Buffer.from(body)),
    });
  return {
    id,
    token,
    runId: String(attributes['run-id']),
    part: attributes['part'],
    read: () => ground.call('GET', path, undefined, token),
    extend: () => ground.call('POST', `${path}/actions/extend`, undefined, token),
    finish: (sent: object) => ground.call('POST', `${path}/actions/finish`, documentOf('agent-jobs', sent), token),
    log: (offset: number, text: string) => bytes(`log?offset=${offset}`, text),
    bytes,
    file: async (name: string) => {
      const url = `${ground.service.address}/api/v2${path}/${name}`;
      const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      return { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()) };
    },
  };
}
