import { sql } from 'kysely';
import type { Lane } from '#core/concurrency/take-turns.ts';
import { ApiError } from '#path/jsonapi/error.ts';
import { fairTurns } from '#store/postgres/statements/tenants.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { SendParts } from '../../contract.ts';
import { hashOf, newTokenText } from '../authentication-tokens/text.ts';
import { ask, isAccepted } from '../run-tasks/ask.ts';
import { materialOf, payloadOf } from './payload.ts';
import { type AskedResult, say } from './settle.ts';

/** Requests of one process at once. */
const atOnceMax = 16;
/** Requests of one organization at once, over all processes. */
const ofOrganizationMax = 4;
/** Longer than a request takes. Afterwards another process may take over from one that died. */
const claimSeconds = 60;
/** Requests for one result; between them it waits longer each time. */
const attemptsMax = 3;
const againSeconds = 10;

interface Due extends AskedResult {
  readonly attempts: number;
}

/**
 * Asks the services of run tasks until `signal` aborts. Several processes may do this concurrently. Services that hang delay only their own
 * organization.
 */
export const taskLane = (store: Store, parts: SendParts, signal: AbortSignal): Lane => ({
  atOnceMax,
  claim: async (room) =>
    (await claim(store, room)).map((due) => () => askFor(store, parts, due, signal).catch(unlessGone)),
});

/** The workspace was deleted with its runs. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

const turns = { table: 'ws_task_results', tenant: 'organization_id', due: 'next_at', ofTenantMax: ofOrganizationMax };

async function claim({ db }: Store, countMax: number): Promise<readonly Due[]> {
  const { rows } = await rowsOf({ id: text, attempts: int, run_id: text, workspace_id: text })`
    with recursive ${fairTurns({ ...turns, countMax })},
    claimed as (
      update ws_task_results t set attempts = attempts + 1, claimed_until = now() + make_interval(secs => ${claimSeconds}),
             next_at = now() + make_interval(secs => ${claimSeconds})
        from free where t.id = free.id returning t.id, t.attempts, t.stage_id)
    select c.id, c.attempts, s.run_id, r.workspace_id from claimed c
      join ws_task_stages s on s.id = c.stage_id join ws_runs r on r.id = s.run_id`.execute(db);
  return rows.map((row) => ({ id: row.id, attempts: row.attempts, runId: row.run_id, workspaceId: row.workspace_id }));
}

async function askFor(store: Store, parts: SendParts, due: Due, signal: AbortSignal): Promise<void> {
  const isSame = sql`t.attempts = ${due.attempts}`;
  const material = await materialOf(store, due.id);
  if (material === undefined) {
    await say(store, due, { status: 'errored', message: 'The run task was deleted.' }, isSame);
    return;
  }
  const token = newTokenText();
  await sql`
    update ws_task_results t set hash = ${hashOf(store, token)} where id = ${due.id} and next_at is not null and ${isSame}`.execute(
    store.db,
  );
  const service = { id: material.task_id, url: material.url, hmac_key: material.hmac_key };
  const status = await ask(store, parts, service, payloadOf(material, token.reveal()), signal);
  // The service may have called back before its answer arrived: what it said remains.
  const isUnheard = sql`${isSame} and t.status = 'pending'`;
  if (!isAccepted(status) && signal.aborted && status === undefined) return putBack(store, due);
  const result = isAccepted(status) ? 'done' : due.attempts < attemptsMax ? 'failed' : 'dead';
  if (result === 'done') await say(store, due, { status: 'running' }, isUnheard);
  else if (result === 'failed') await later(store, due);
  else
    await say(
      store,
      due,
      { status: 'unreachable', message: `The service did not accept the request (${status ?? 'no answer'}).` },
      isUnheard,
    );
  parts.see('run_task', result);
}

/** The process ends: another one asks at once. */
async function putBack({ db }: Store, { id, attempts }: Due): Promise<void> {
  await sql`
    update ws_task_results set attempts = attempts - 1, claimed_until = null, next_at = now()
     where id = ${id} and attempts = ${attempts} and next_at is not null`.execute(db);
}

async function later({ db }: Store, { id, attempts }: Due): Promise<void> {
  await sql`
    update ws_task_results set claimed_until = null, next_at = now() + make_interval(secs => ${againSeconds * attempts})
     where id = ${id} and attempts = ${attempts} and next_at is not null`.execute(db);
}
